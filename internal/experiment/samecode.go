package experiment

// SameCodeWords is what people are told of SameCode.
const SameCodeWords = "nothing this benchmark runs changed"
