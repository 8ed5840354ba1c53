/// The kind of an error: a name for a reader and a number for an `NSError`.
///
/// Compare codes with `==` or `switch` with a `default`; more may be added. Names and numbers never change.
public protocol PatchbayErrorCode: Hashable, Sendable, CustomStringConvertible {
    /// The name in Swift.
    var name: String { get }
    /// The code as an `NSError`.
    var number: Int { get }
}

extension PatchbayErrorCode {
    /// The name.
    public var description: String { name }
}
