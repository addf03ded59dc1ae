package experiment

// sameCode is what people are told of SameCode.
const sameCode = "nothing this benchmark runs changed"
