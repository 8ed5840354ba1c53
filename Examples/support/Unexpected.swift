/// A step that had to fail and did not, or a server that does not offer what the example needs.
public struct Unexpected: Error, CustomStringConvertible {
    /// What is wrong.
    public let description: String

    /// Creates an error.
    public init(_ description: String) { self.description = description }
}
