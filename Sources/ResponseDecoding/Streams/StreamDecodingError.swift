public import Foundation
@_exported public import PatchbayErrors

/// Why a part of a stream could not be used.
///
/// `description` holds no secrets: it does not show what came. The start of the line is there for those who ask for it
/// by name.
public struct StreamDecodingError: PatchbayError {
    /// What kind of failure it is. Compare with `==`; more kinds may be added.
    public struct Code: PatchbayErrorCode {
        /// The name in Swift.
        public let name: String
        /// The code as an `NSError`.
        public let number: Int

        /// A line is longer than its limit.
        public static let lineTooLong = Code(name: "lineTooLong", number: 1)
        /// The lines of one event are together longer than their limit.
        public static let eventTooLarge = Code(name: "eventTooLarge", number: 2)
        /// A line has bytes that are not UTF-8; see ``StreamDecodingError/byteOffset``.
        public static let invalidText = Code(name: "invalidText", number: 3)
        /// A line is not JSON.
        public static let invalidJSON = Code(name: "invalidJSON", number: 4)
        /// A line is JSON, and not what the type wants; see ``StreamDecodingError/codingPath``.
        public static let unexpectedValue = Code(name: "unexpectedValue", number: 5)
    }

    /// What kind of failure it is.
    public let code: Code
    /// What is wrong, for a developer.
    public let message: String
    /// The line that is at fault; the first one is 1. Zero when the stream does not consist of lines.
    public let line: Int
    /// The start of that line, at most 1 KiB.
    public let linePrefix: Data
    /// The place of the first byte of the line that is wrong, when the code is `invalidText`.
    public var byteOffset: Int?
    /// Where in the JSON the value is, such as `items[3].price`, when the code is `unexpectedValue`; empty for the
    /// outermost value.
    public var codingPath: String?
    /// The decoder's own error. It may quote the line.
    public var underlying: (any Error)?

    /// Makes an error. `message` must not hold secrets.
    public init(
        _ code: Code, _ message: String, line: Int, linePrefix: Data = Data(), byteOffset: Int? = nil,
        codingPath: String? = nil, underlying: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.line = line
        // A copy of its own, for a slice would keep the whole chunk alive.
        self.linePrefix = Data([UInt8](linePrefix.prefix(1024)))
        self.byteOffset = byteOffset
        self.codingPath = codingPath
        self.underlying = underlying
    }

    /// Line, message and code.
    public var description: String { "\(line > 0 ? "Line \(line): " : "")\(message) [\(code)]" }
}
