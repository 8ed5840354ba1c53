import Foundation
import HTTPMessages
import RequestModel

/// An HTTP request to the listener, as its bytes arrive: a state machine without a socket.
///
/// It takes the navigation of a browser to the redirect URI, and nothing else. The rest is refused without an effect on
/// the sign-in: another path, such as `/favicon.ico`; another method; a body; a long head; a request of a page's
/// script; a prefetch; another host, by which a page reaches this address under a name of its own (DNS rebinding).
struct RedirectRequest {
    enum Verdict: Equatable {
        /// The query of the redirect.
        case response(Query)
        case refuse(HTTPStatus)
    }

    /// Maximum bytes of the request line and the header fields.
    static let maximumBytes = 16 << 10

    /// 431 (RFC 6585, section 5).
    private static let headTooLarge = HTTPStatus(431) ?? .badRequest
    /// 421 (RFC 9110, section 15.5.20).
    private static let misdirected = HTTPStatus(421) ?? .badRequest

    private let path: String
    private let hosts: Set<String>
    private var bytes: [UInt8] = []

    /// - Parameters:
    ///   - path: the path of the redirect URI.
    ///   - port: the port of the redirect URI.
    init(path: String, port: UInt16) {
        self.path = path
        let names: Set = ["127.0.0.1", "[::1]", "localhost"]
        // Browsers omit the default port.
        hosts = Set(names.map { "\($0):\(port)" }).union(port == 80 ? names : [])
    }

    /// Takes bytes; nil until the head is complete.
    mutating func append(_ more: some Collection<UInt8>) -> Verdict? {
        // The end may have begun in the bytes before.
        let start = max(0, bytes.count - 3)
        bytes += more
        guard let end = Self.headEnd(bytes[start...]) else {
            return bytes.count > Self.maximumBytes ? .refuse(Self.headTooLarge) : nil
        }
        return end > Self.maximumBytes ? .refuse(Self.headTooLarge) : verdict(on: bytes[..<end])
    }

    private static func headEnd(_ bytes: ArraySlice<UInt8>) -> Int? {
        let pattern = Array("\r\n\r\n".utf8)
        guard bytes.count >= pattern.count else { return nil }
        return (bytes.startIndex...(bytes.endIndex - pattern.count)).first { bytes[$0...].starts(with: pattern) }
    }

    private func verdict(on head: ArraySlice<UInt8>) -> Verdict {
        guard let text = String(validating: head, as: UTF8.self) else { return .refuse(.badRequest) }
        let lines = text.components(separatedBy: "\r\n")
        let words = lines[0].split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, words[2] == "HTTP/1.1" || words[2] == "HTTP/1.0", words[1].first == "/",
            words[1].utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), let fields = Self.fields(lines.dropFirst())
        else { return .refuse(.badRequest) }
        guard fields.values(of: .host).count == 1, hosts.contains(fields[.host]?.lowercased() ?? "") else {
            return .refuse(Self.misdirected)
        }
        let target = words[1].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard target[0] == path else { return .refuse(.notFound) }
        guard words[0] == "GET" else { return .refuse(.methodNotAllowed) }
        guard !fields.contains(.contentLength), !fields.contains(.transferEncoding) else {
            return .refuse(.contentTooLarge)
        }
        guard Self.isNavigation(fields) else { return .refuse(.forbidden) }
        return .response(Query(parsing: target.count == 2 ? target[1] : "", as: .form))
    }

    private static func fields(_ lines: ArraySlice<String>) -> HTTPFields? {
        var fields = HTTPFields()
        for line in lines {
            guard let colon = line.firstIndex(of: ":"),
                (try? fields.append(String(line[..<colon]), String(line[line.index(after: colon)...]))) != nil
            else { return nil }
        }
        return fields
    }

    /// False for what browsers mark as no navigation (Fetch Metadata Request Headers), and for a prefetch.
    private static func isNavigation(_ fields: HTTPFields) -> Bool {
        fields["Sec-Fetch-Mode"].map { $0 == "navigate" } ?? true
            && ![fields["Sec-Purpose"], fields["Purpose"]].contains { $0?.contains("prefetch") ?? false }
    }
}
