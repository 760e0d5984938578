// Nothing is subtracted: each token has its own return, so that a KL in the reward is felt only by the tokens up to it
// (REINFORCE++, Hu 2025, arXiv 2501.03262).
import { baseline } from "./baseline.ts";

export const none = baseline({ id: "none", title: "Nothing", from: "nothing" });
