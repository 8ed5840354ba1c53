/// A value of its own allocation: what few calls have takes one word in the others.
final class Box<Value: Sendable>: Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}
