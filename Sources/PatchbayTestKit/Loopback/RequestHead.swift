import Foundation
import HTTPMessages

/// A request that is answered with an error before a service sees it.
struct Refusal: Error {
    let status: HTTPStatus
    let reason: String

    init(_ status: Int, _ reason: String) {
        self.status = HTTPStatus(status) ?? .badRequest
        self.reason = reason
    }
}

/// Request line and fields of a request (RFC 9112, sections 3 and 5).
struct RequestHead {
    /// How the end of the body is found (RFC 9112, section 6).
    enum Framing: Equatable {
        case none
        case length(Int)
        case chunked
    }

    let method: String
    let target: String
    /// 0 for HTTP/1.0 and 1 for HTTP/1.1.
    let minorVersion: Int
    let fields: HTTPFields
    let framing: Framing
    let expectsContinue: Bool
    let keepsAlive: Bool

    /// Reads a head.
    /// - Parameter bytes: all of it, with the empty line that ends it.
    init(parsing bytes: ArraySlice<UInt8>) throws(Refusal) {
        var lines = Lines(rest: bytes)
        let requestLine = try lines.next()
        (method, target, minorVersion) = try Self.parts(ofRequestLine: requestLine)
        var fields = HTTPFields()
        while true {
            let line = try lines.next()
            if line.isEmpty { break }
            do {
                try Self.append(line, to: &fields)
            } catch {
                throw Refusal(400, "A header line is not a name, a colon and a value.")
            }
        }
        self.fields = fields
        let isCurrent = minorVersion == 1
        let hosts = fields.values(of: .host).count
        guard hosts == 1 || (hosts == 0 && !isCurrent) else {
            throw Refusal(400, "HTTP/1.1 wants exactly one Host field.")
        }
        framing = try Self.framing(of: fields, isCurrent: isCurrent)
        let options = Self.tokens(of: fields[.connection])
        keepsAlive = isCurrent ? !options.contains("close") : options.contains("keep-alive")
        let expectations = Self.tokens(of: Self.expect.flatMap { fields[$0] })
        guard expectations.allSatisfy({ $0 == "100-continue" }) else {
            throw Refusal(417, "The only expectation is 100-continue.")
        }
        expectsContinue = isCurrent && !expectations.isEmpty && framing != .none
    }

    private static let expect = try? HTTPFieldName("Expect")

    private static func parts(ofRequestLine line: ArraySlice<UInt8>) throws(Refusal) -> (String, String, Int) {
        let words = line.split(separator: 0x20, omittingEmptySubsequences: false)
        guard words.count == 3, !words[0].isEmpty, words[0].allSatisfy(\.isHTTPTokenByte), !words[1].isEmpty,
            words[1].allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else {
            throw Refusal(400, "The request line is not a method, a target and a version with one space between them.")
        }
        let minorVersion: Int
        if words[2].elementsEqual("HTTP/1.1".utf8) {
            minorVersion = 1
        } else if words[2].elementsEqual("HTTP/1.0".utf8) {
            minorVersion = 0
        } else {
            let isHTTP = words[2].starts(with: "HTTP/".utf8)
            throw Refusal(isHTTP ? 505 : 400, "The version is neither HTTP/1.1 nor HTTP/1.0.")
        }
        return (String(decoding: words[0], as: UTF8.self), String(decoding: words[1], as: UTF8.self), minorVersion)
    }

    private static func append(_ line: ArraySlice<UInt8>, to fields: inout HTTPFields) throws {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { throw Refusal(400, "") }
        let value = line[(colon + 1)...]
        // Old clients may send Latin-1, in which each byte is the character of that number.
        let text =
            String(validating: value, as: UTF8.self)
            ?? String(String.UnicodeScalarView(value.map { Unicode.Scalar($0) }))
        try fields.append(String(decoding: line[..<colon], as: UTF8.self), text)
    }

    private static func framing(of fields: HTTPFields, isCurrent: Bool) throws(Refusal) -> Framing {
        let lengths = Set(tokens(of: fields[.contentLength]))
        let codings = tokens(of: fields[.transferEncoding])
        if fields.contains(.transferEncoding) {
            // Two readers could see the end of such a body in two places.
            guard !fields.contains(.contentLength), isCurrent else {
                throw Refusal(400, "Transfer-Encoding goes with HTTP/1.1 and without Content-Length.")
            }
            guard codings == ["chunked"] else {
                throw Refusal(501, "The only transfer coding is chunked.")
            }
            return .chunked
        }
        guard fields.contains(.contentLength) else { return .none }
        guard lengths.count == 1, let digits = lengths.first, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let length = Int(digits)
        else {
            throw Refusal(400, "Content-Length is not one number.")
        }
        return .length(length)
    }

    private static func tokens(of list: String?) -> [String] {
        guard let list else { return [] }
        return list.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces).lowercased() }
    }
}

/// Lines of a head, each ended by CR LF.
private struct Lines {
    var rest: ArraySlice<UInt8>

    mutating func next() throws(Refusal) -> ArraySlice<UInt8> {
        guard let end = rest.firstIndex(of: 0x0A), end > rest.startIndex, rest[end - 1] == 0x0D else {
            throw Refusal(400, "A line does not end with CR LF.")
        }
        defer { rest = rest[(end + 1)...] }
        return rest[..<(end - 1)]
    }
}
