public import Foundation
public import HTTPMessages
@_exported public import PatchbayErrors

/// Error in a part of a stream: too long, invalid text, or invalid JSON.
///
/// ``description`` contains no secrets, because it does not quote the stream; see ``linePrefix`` for that.
public struct StreamDecodingError: PatchbayError {
    /// The kind of error.
    public let code: Code
    /// The problem and its remedy, for developers.
    public let message: String
    /// The number of the invalid line, starting at 1; 0 in a stream of bytes.
    public let line: Int
    /// The number of the invalid part of a multipart body or text of a JSON sequence, starting at 1; nil elsewhere.
    public var part: Int?
    /// The start of that line, at most 1 KiB.
    public let linePrefix: Data
    /// Offset in the line of the first invalid byte or the rejected value; for an item or a part, in the stream.
    public var byteOffset: Int?
    /// Path to the JSON value, such as `items[3].price`, for `unexpectedValue`; empty for the root value.
    public var codingPath: String?
    /// The decoder's error. It may quote the line.
    public var underlying: (any Error)?
    /// The head of the response whose body was read; nil for bytes of another source.
    public internal(set) var head: HTTPResponseHead?

    /// Creates an error. `message` must not contain secrets.
    public init(
        _ code: Code, _ message: String, line: Int, linePrefix: Data = Data(), byteOffset: Int? = nil,
        codingPath: String? = nil, underlying: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.line = line
        // Copied, because a slice would keep the whole chunk in memory.
        self.linePrefix = Data([UInt8](linePrefix.prefix(1024)))
        self.byteOffset = byteOffset
        self.codingPath = codingPath
        self.underlying = underlying
    }

    /// The redacted URL of the response, or nil.
    public var failingURL: String? { head.map { Redaction.standard.redacted($0.url) } }

    /// Request and status, if a response was read; line or part, message and code.
    public var description: String {
        let response = head.map { "\($0.requestDescription): \($0.status): " } ?? ""
        return "\(response)\(place)\(message) [\(code)]"
    }

    private var place: String {
        if line > 0 { return "Line \(line): " }
        guard let part else { return "" }
        return "Part \(part)\(byteOffset.map { ", byte \($0)" } ?? ""): "
    }
}

extension ErrorCode where Failure == StreamDecodingError {
    /// A line exceeds the limit.
    public static var lineTooLong: Self { Self(1) }
    /// Type and data of an event exceed the limit.
    public static var eventTooLarge: Self { Self(2) }
    /// A line is not valid UTF-8; see ``StreamDecodingError/byteOffset``.
    public static var invalidText: Self { Self(3) }
    /// A line is not JSON.
    public static var invalidJSON: Self { Self(4) }
    /// A line is JSON but does not match the type; see ``StreamDecodingError/codingPath``.
    public static var unexpectedValue: Self { Self(5) }
    /// An item of a JSON array, or a text of a JSON sequence, exceeds the limit.
    public static var itemTooLarge: Self { Self(6) }
    /// The media type has no boundary, or not one of 1 to 70 printable ASCII characters.
    public static var invalidBoundary: Self { Self(7) }
    /// A multipart body has no boundary, or ends without its final one.
    public static var incompleteMultipart: Self { Self(8) }
    /// The fields of a part are damaged; see ``StreamDecodingError/byteOffset``.
    public static var invalidPartFields: Self { Self(9) }
    /// The fields or a name of a part exceed the limit.
    public static var partFieldsTooLarge: Self { Self(10) }
    /// A multipart body has more parts than the limit.
    public static var tooManyParts: Self { Self(11) }
    /// The content of a part exceeds the limit.
    public static var partTooLarge: Self { Self(12) }
    /// The content of a part was read after the next part was requested, or by two tasks.
    public static var partSkipped: Self { Self(13) }
    /// A text of a JSON sequence was cut off, or no record separator stands before it.
    public static var incompleteText: Self { Self(14) }
}
