/// Fails the case unless a condition is true.
package func expect(
    _ isTrue: Bool, _ message: @autoclosure () -> String = "a condition is false", file: String = #fileID,
    line: Int = #line
) throws(ConformanceFailure) {
    if !isTrue { throw ConformanceFailure("\(message()) (\(file):\(line))") }
}

/// Fails the case unless two values are equal.
package func expect<Value: Equatable>(
    _ value: Value, is expected: Value, _ what: @autoclosure () -> String = "the value", file: String = #fileID,
    line: Int = #line
) throws(ConformanceFailure) {
    if value != expected { throw ConformanceFailure("\(what()) is \(value) instead of \(expected) (\(file):\(line))") }
}
