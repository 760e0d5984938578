// Settings as they are pasted beside a log: lines of YAML, arguments of a program and of a command line ("beta: 0.04", "beta=0.04,",
// "--beta 0.04"). Only names that are known are read, wherever else they stand.
import { type LogEntry, type LogForm, type LogValue, numberIn } from "../log.ts";
import { settingRule } from "../settings.ts";
import { lines } from "./lines.ts";

const PAIR =
  /(?:^|[\s,({"'+])-{0,2}([A-Za-z_][\w.-]*)["']?\s*(?::|=|\s)\s*["']?([-+]?(?:\d[\d_]*\.?\d*|\.\d+)(?:e[-+]?\d+)?)(?=["'\s,)}\\;]|$)/g;
const COMMENT = /(^|\s)(#|\/\/).*$/;

export const settingLines: LogForm = {
  id: "settings",
  title: "settings",
  find(text) {
    return lines(text).flatMap(({ begin, end, line }): readonly LogEntry[] => {
      const values: Record<string, LogValue> = {};
      for (const [, name = "", word = ""] of line.replace(COMMENT, "").matchAll(PAIR)) {
        const value = numberIn(word);
        if (value !== undefined && settingRule(name)) values[name] = value;
      }
      return Object.keys(values).length === 0 ? [] : [{ begin, end, values, isSettings: true }];
    });
  },
};
