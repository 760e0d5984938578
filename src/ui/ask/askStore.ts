// Whether the question to the model is open, and whether it asks at once.
import { create } from "zustand";

export const useAsk = create<{ readonly isOpen: boolean; readonly asksAtOnce: boolean }>()(() => ({ isOpen: false, asksAtOnce: false }));
