// The schema library for everything here. By itself it compiles checks from text where it may, and tries
// whether it may; the page's content policy forbids that, and each try would be reported as a violation.
import { config, z } from "zod";

config({ jitless: true });

export { z };
