/// Where the body of a response ends, as its fields say (RFC 9112, section 6).
///
/// For engines: a body without a reliable end may be a part of one, or bytes of another response.
public enum BodyFraming: Hashable, Sendable {
    /// After a number of bytes.
    case length(Int64)
    /// With the last chunk.
    case chunked
    /// With its connection, or with its stream in HTTP/2.
    case untilClosed
    /// Nowhere reliably: the fields contradict each other, are invalid, or name an unknown transfer coding. The text
    /// says what is wrong with which value, for an error message: `Response has an invalid Content-Length ("5x")`.
    case invalid(String)

    /// The framing by the fields of a response whose method and status allow a body.
    /// - Parameter isHTTP2: true ignores `Transfer-Encoding`, which HTTP/2 does not have (RFC 9113, section 8.2.2).
    public init(_ fields: HTTPFields, isHTTP2: Bool = false) {
        self = Self.plain(fields, isHTTP2: isHTTP2) ?? Self.general(fields, isHTTP2: isHTTP2)
    }

    /// The framing of most responses, read in one pass without a copy: each field occurs once at most, and its value is
    /// `chunked` or a number of at most 18 digits. Nil if it takes more to tell.
    private static func plain(_ fields: HTTPFields, isHTTP2: Bool) -> BodyFraming? {
        var length: Int64?
        var isChunked = false
        for index in fields.indices {
            if fields[index].name == .contentLength {
                guard length == nil, let number = fields[index].value.plainNumber else { return nil }
                length = number
            } else if !isHTTP2, fields[index].name == .transferEncoding {
                guard !isChunked, fields[index].value == "chunked" else { return nil }
                isChunked = true
            }
        }
        return isChunked ? .chunked : length.map { .length($0) } ?? .untilClosed
    }

    private static func general(_ fields: HTTPFields, isHTTP2: Bool) -> BodyFraming {
        let codings = isHTTP2 ? [] : elements(of: fields.values(of: .transferEncoding))
        guard codings.isEmpty else {
            switch codings {
            case ["chunked"]: return .chunked
            case ["identity"]: return .untilClosed
            default:
                let names = quoted(codings.joined(separator: ", "))
                return .invalid("Response has a transfer coding that was not requested (\(names))")
            }
        }
        let lengths = elements(of: fields.values(of: .contentLength))
        guard let first = lengths.first else { return .untilClosed }
        // Not by its value only, which could be rounded or cut off: `+5` and `5x` are other lengths to other programs.
        guard !first.isEmpty, first.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let length = Int64(first) else {
            return .invalid("Response has an invalid Content-Length (\(quoted(first)))")
        }
        guard lengths.allSatisfy({ $0 == first }) else {
            return .invalid("Response has several values of Content-Length")
        }
        return .length(length)
    }

    /// True for a field name that only whitespace makes another one than that of a field read here.
    ///
    /// RFC 9112, section 5.1, forbids it, since other programs remove the whitespace, and frame the body otherwise.
    public static func isMisread(_ name: String) -> Bool {
        let trimmed = name.trimmingHTTPWhitespace.lowercased()
        return trimmed.utf8.count != name.utf8.count && ["transfer-encoding", "content-length"].contains(trimmed)
    }

    private static func elements(of values: [String]) -> [String] {
        values.flatMap { value in
            value.split(separator: ",", omittingEmptySubsequences: false).map {
                String($0).trimmingHTTPWhitespace.lowercased()
            }
        }
    }

    /// The start of a value, in quotes.
    private static func quoted(_ value: String) -> String { String(value.prefix(40)).debugDescription }
}

extension String {
    /// The number of at most 18 digits that the text is, and nothing else.
    fileprivate var plainNumber: Int64? {
        guard (1...18).contains(utf8.count) else { return nil }
        var number: Int64 = 0
        for digit in utf8 {
            guard (0x30...0x39).contains(digit) else { return nil }
            number = number * 10 + Int64(digit - 0x30)
        }
        return number
    }
}
