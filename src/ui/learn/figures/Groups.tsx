// Groups of one step, each a row with a tile for every answer: full where it earned something, empty where not. A group
// whose answers all earned the same is paler, and says so.
import { counted } from "../../../protocol/quantities.ts";

export interface GroupsMark {
  readonly kind: "groups";
  readonly head: string;
  /** Rewards of the answers, group by group. */
  readonly rewards_P_G: readonly (readonly number[])[];
}

export function Groups({ head, rewards_P_G }: GroupsMark) {
  return (
    <div className="groups">
      <p className="fine-print">{head}</p>
      <ol>
        {rewards_P_G.map((rewards_G, p) => {
          const isTied = rewards_G.every((reward) => reward === rewards_G[0]);
          const paid = rewards_G.filter((reward) => reward > 0).length;
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: groups have no names, and never move
            <li key={p} data-tied={isTied || undefined}>
              <span className="tiles flex flex-wrap" role="img" aria-label={`${counted(rewards_G.length, "answer")}, ${paid} paid`}>
                {rewards_G.map((reward, g) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: answers have no names, and never move
                  <i key={g} data-paid={reward > 0 || undefined} />
                ))}
              </span>
              <span className="fine-print">{isTied ? "tied" : "teaches"}</span>
            </li>
          );
        })}
      </ol>
    </div>
  );
}
