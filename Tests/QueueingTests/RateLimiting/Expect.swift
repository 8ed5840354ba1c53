import Testing

/// As `#expect`, for a condition that changes a state machine: the macro evaluates parts of it in closures.
func expect(_ condition: Bool, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(condition, sourceLocation: sourceLocation)
}
