"""The questions: each module turns the engine's counts into one kind of answer, with its margin."""
