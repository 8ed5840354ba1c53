import Foundation
import HTTPMessages

/// The error response to an invalid request, which does not reach a service.
struct Refusal: Error {
    let status: HTTPStatus
    let reason: String

    init(_ status: Int, _ reason: String) {
        self.status = HTTPStatus(status) ?? .badRequest
        self.reason = reason
    }
}

/// The parsed request line and header fields (RFC 9112, sections 3 and 5).
struct RequestHead {
    /// The framing of the body (RFC 9112, section 6).
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

    /// Parses a head.
    /// - Parameter bytes: the complete head, including the final empty line.
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
                throw Refusal(400, "Invalid header line: expected a name, a colon and a value.")
            }
        }
        self.fields = fields
        let isCurrent = minorVersion == 1
        let hosts = fields.values(of: .host).count
        guard hosts == 1 || (hosts == 0 && !isCurrent) else {
            throw Refusal(400, "HTTP/1.1 requires exactly one Host field.")
        }
        framing = try Self.framing(of: fields, isCurrent: isCurrent)
        let options = Self.tokens(of: fields[.connection])
        keepsAlive = isCurrent ? !options.contains("close") : options.contains("keep-alive")
        let expectations = Self.tokens(of: Self.expect.flatMap { fields[$0] })
        guard expectations.allSatisfy({ $0 == "100-continue" }) else {
            throw Refusal(417, "Unsupported Expect value; only 100-continue is supported.")
        }
        expectsContinue = isCurrent && !expectations.isEmpty && framing != .none
    }

    private static let expect = try? HTTPFieldName("Expect")

    private static func parts(ofRequestLine line: ArraySlice<UInt8>) throws(Refusal) -> (String, String, Int) {
        let words = line.split(separator: 0x20, omittingEmptySubsequences: false)
        guard words.count == 3, !words[0].isEmpty, words[0].allSatisfy(\.isHTTPTokenByte), !words[1].isEmpty,
            words[1].allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else {
            throw Refusal(
                400, "Invalid request line: expected a method, a target and a version, separated by one space.")
        }
        let minorVersion: Int
        if words[2].elementsEqual("HTTP/1.1".utf8) {
            minorVersion = 1
        } else if words[2].elementsEqual("HTTP/1.0".utf8) {
            minorVersion = 0
        } else {
            let isHTTP = words[2].starts(with: "HTTP/".utf8)
            throw Refusal(isHTTP ? 505 : 400, "Unsupported version: expected HTTP/1.1 or HTTP/1.0.")
        }
        return (String(decoding: words[0], as: UTF8.self), String(decoding: words[1], as: UTF8.self), minorVersion)
    }

    private static func append(_ line: ArraySlice<UInt8>, to fields: inout HTTPFields) throws {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { throw Refusal(400, "") }
        let value = line[(colon + 1)...]
        // Invalid UTF-8 is read as Latin-1, which old clients send: each byte is one code point.
        let text =
            String(validating: value, as: UTF8.self)
            ?? String(String.UnicodeScalarView(value.map { Unicode.Scalar($0) }))
        try fields.append(String(decoding: line[..<colon], as: UTF8.self), text)
    }

    private static func framing(of fields: HTTPFields, isCurrent: Bool) throws(Refusal) -> Framing {
        let lengths = Set(tokens(of: fields[.contentLength]))
        let codings = tokens(of: fields[.transferEncoding])
        if fields.contains(.transferEncoding) {
            // Two parsers could disagree about the end of such a body (request smuggling).
            guard !fields.contains(.contentLength), isCurrent else {
                throw Refusal(400, "Transfer-Encoding requires HTTP/1.1 and excludes Content-Length.")
            }
            guard codings == ["chunked"] else {
                throw Refusal(501, "Unsupported transfer coding; only chunked is supported.")
            }
            return .chunked
        }
        guard fields.contains(.contentLength) else { return .none }
        guard lengths.count == 1, let digits = lengths.first, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let length = Int(digits)
        else {
            throw Refusal(400, "Content-Length is not a single number.")
        }
        return .length(length)
    }

    private static func tokens(of list: String?) -> [String] {
        guard let list else { return [] }
        return list.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces).lowercased() }
    }
}

/// The lines of a head, each terminated by CR LF.
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
