// What this package's callers use of ObjectiveC, as declared in Apple's documentation. Only types are checked with it.

/// The type of `#selector(...)`; its description is the method's name.
public struct Selector: ExpressibleByStringLiteral, Hashable, Sendable, CustomStringConvertible {
    public let description: String
    public init(_ name: String) { description = name }
    public init(stringLiteral name: String) { description = name }
}

public func autoreleasepool<Result>(invoking body: () throws -> Result) rethrows -> Result { try body() }
