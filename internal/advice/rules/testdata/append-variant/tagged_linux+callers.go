package tagged

func same(p point, text string) bool { return p.String() == text }
