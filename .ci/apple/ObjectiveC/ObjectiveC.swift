// What this package's callers use of ObjectiveC, as declared in Apple's documentation. Only types are checked with it.
public import Foundation

/// The type of `#selector(...)`; its description is the method's name.
public struct Selector: ExpressibleByStringLiteral, Hashable, Sendable, CustomStringConvertible {
    public let description: String
    public init(_ name: String) { description = name }
    public init(stringLiteral name: String) { description = name }
}

extension NSObject {
    public func responds(to selector: Selector!) -> Bool { fatalError() }
}

public func autoreleasepool<Failure, Result: ~Copyable>(
    invoking body: () throws(Failure) -> Result
) throws(Failure) -> Result { try body() }
