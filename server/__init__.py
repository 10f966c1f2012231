"""The faces: what people and agents talk to."""
