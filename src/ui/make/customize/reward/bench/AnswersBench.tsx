// Typed answers and what the reward gives to each, at once; an answer that must earn something is kept with the reward
// as a case.
import { Check, Plus, X } from "lucide-react";
import type { RewardVerdict } from "../../../../../protocol/config/customRewards.ts";
import { meetsCase } from "../../../../../rl/rewards/customReward.ts";
import { formatNumber } from "../../../../kit/charts/format.ts";
import { Button, RemoveButton } from "../../../../kit/controls/Button.tsx";
import { TextInput } from "../../../../kit/controls/TextInput.tsx";
import { type BenchAnswer, demandText, readDemand } from "./answers.ts";

const RULE = "must earn a number such as 1, or two such as 0 to 0.5; empty keeps no case";

function Verdict({ row, verdict }: { readonly row: BenchAnswer; readonly verdict: RewardVerdict | undefined }) {
  if (verdict === undefined) return <span className="bench-verdict soft">…</span>;
  const text = verdict === null ? "cannot judge" : typeof verdict === "number" ? formatNumber(verdict) : verdict.reason;
  if (row.earns === null) return <span className="bench-verdict">{text}</span>;
  const isMet = meetsCase({ earns: row.earns }, verdict);
  const Glyph = isMet ? Check : X;
  return (
    <span className="bench-verdict">
      {text} <Glyph size={14} aria-hidden="true" /> {isMet ? "as it must" : "not as it must"}
    </span>
  );
}

interface AnswersBenchProps {
  /** The reward that is tried. */
  readonly of: string;
  readonly rows: readonly BenchAnswer[];
  readonly verdicts: readonly RewardVerdict[] | null;
  readonly onChange: (rows: readonly BenchAnswer[]) => void;
}

export function AnswersBench({ of, rows, verdicts, onChange }: AnswersBenchProps) {
  const set = (at: number, change: Partial<BenchAnswer>) => onChange(rows.map((row, i) => (i === at ? { ...row, ...change } : row)));
  return (
    <div className="stack">
      <ol>
        {rows.map((row, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a row is its place
          <li key={i} className="bench-answer grid relative">
            <TextInput label="Answer" keepAs={`answer/${of}/${i}`} value={row.text} onChange={(text) => set(i, { text })} />
            <TextInput label="Question" keepAs={`question/${of}/${i}`} value={row.question} onChange={(question) => set(i, { question })} />
            <TextInput label="Expected" keepAs={`expected/${of}/${i}`} value={row.answer} onChange={(answer) => set(i, { answer })} />
            <TextInput
              label="Must earn"
              keepAs={`earns/${of}/${i}`}
              value={demandText(row.earns)}
              refusal={(typed) => (readDemand(typed) === undefined ? RULE : undefined)}
              onChange={(typed) => set(i, { earns: readDemand(typed) ?? null })}
            />
            <p className="col-span-full wrap-anywhere">
              <span className="fine-print">Earns</span> <Verdict row={row} verdict={verdicts?.[i]} />
            </p>
            <RemoveButton label={`Remove answer ${i + 1}`} onPress={() => onChange(rows.filter((_, at) => at !== i))} />
          </li>
        ))}
      </ol>
      <div>
        <Button kind="quiet" onPress={() => onChange([...rows, { question: "", answer: "", text: "", earns: null }])}>
          <Plus size={14} aria-hidden="true" /> Add an answer
        </Button>
      </div>
      <p className="fine-print">
        An answer with a number under “Must earn” is a case. It is saved with the reward, and no run starts until the reward meets it.
      </p>
    </div>
  );
}
