import Foundation
import HTTPMessages
import SystemLibraries

/// The text that a signature of AWS covers: "Create a canonical request" of the IAM user guide.
struct AWSCanonicalRequest {
    let method: String
    /// The path in its canonical form.
    let path: String
    /// The parameters of the query, encoded and ordered.
    let query: String
    /// The names of the signed fields, separated by semicolons.
    let signedFields: String
    private let fields: [(name: String, value: String)]
    let payloadHash: String

    /// - Parameters:
    ///   - query: the parameters as in a URL; nil without a query.
    ///   - fields: the fields to sign, in their order, with `host`.
    init(method: String, path: String, query: String, fields: [(name: String, value: String)], payloadHash: String) {
        self.method = method
        self.path = path
        self.query = Self.canonicalQuery(query)
        self.payloadHash = payloadHash
        var values: [String: [String]] = [:]
        for field in fields { values[field.name.lowercased(), default: []].append(field.value.trimmingInnerSpaces) }
        self.fields = values.sorted { $0.key < $1.key }.map { ($0.key, $0.value.joined(separator: ",")) }
        signedFields = self.fields.map(\.name).joined(separator: ";")
    }

    var text: String {
        ([method, path, query] + fields.map { "\($0.name):\($0.value)" } + ["", signedFields, payloadHash])
            .joined(separator: "\n")
    }

    /// The parameters decoded, encoded in the one form, and ordered by name and value.
    static func canonicalQuery(_ query: String) -> String {
        query.split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let value = parts.count > 1 ? String(parts[1]) : ""
            return (String(parts[0]).percentDecoded.awsEncoded(), value.percentDecoded.awsEncoded())
        }
        .sorted { ($0.0, $0.1) < ($1.0, $1.1) }
        .map { "\($0.0)=\($0.1)" }.joined(separator: "&")
    }

    /// A path without dot segments and repeated slashes.
    static func normalizedPath(_ path: String) -> String {
        var kept: [Substring] = []
        let segments = path.split(separator: "/", omittingEmptySubsequences: true)
        for segment in segments {
            if segment == ".." { _ = kept.popLast() } else if segment != "." { kept.append(segment) }
        }
        let isFolder = path.hasSuffix("/") || [".", ".."].contains(segments.last)
        return "/" + kept.joined(separator: "/") + (isFolder && !kept.isEmpty ? "/" : "")
    }
}

/// The scope, the key and the signatures of one day, region and service.
struct AWSSigningScope {
    let timestamp: String
    let scope: String
    private let key: HMACSHA256

    init(_ credentials: AWSCredentials, region: String, service: String, at date: Date) throws(SigningError) {
        guard let timestamp = date.awsTimestamp else {
            throw SigningError(.invalidParameter, "The time of the signature is out of range; check the clock.")
        }
        self.timestamp = timestamp
        let parts = [String(timestamp.prefix(8)), region, service, "aws4_request"]
        scope = parts.joined(separator: "/")
        var key = Array("AWS4\(credentials.secretAccessKey)".utf8)
        for part in parts { key = HMACSHA256(key: key).code(of: Array(part.utf8)) }
        self.key = HMACSHA256(key: key)
    }

    func signature(of request: AWSCanonicalRequest) throws -> String {
        let hash = try AWSHash.hex(of: Array(request.text.utf8))
        return signature(of: ["AWS4-HMAC-SHA256", timestamp, scope, hash])
    }

    /// The signature of a chunk of a body, which covers the one before it.
    func signature(ofChunk chunk: [UInt8], after previous: String) throws -> String {
        signature(of: [
            "AWS4-HMAC-SHA256-PAYLOAD", timestamp, scope, previous, AWSHash.empty, try AWSHash.hex(of: chunk),
        ])
    }

    private func signature(of lines: [String]) -> String {
        String(decoding: key.code(of: Array(lines.joined(separator: "\n").utf8)).hexDigits, as: UTF8.self)
    }
}

/// SHA-256 in hexadecimal digits.
enum AWSHash {
    static let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

    static func hex(of bytes: [UInt8]) throws -> String {
        String(decoding: try MessageDigest.digest(of: bytes, .sha256).hexDigits, as: UTF8.self)
    }

    /// The hash of a body that can be read again.
    static func hex(of body: HTTPBody) async throws -> String {
        guard !body.isEmpty else { return empty }
        let hash = MessageDigest(.sha256)
        try await ContentDigest.read(body) { hash.update($0) }
        return String(decoding: try hash.finish().hexDigits, as: UTF8.self)
    }
}

extension Date {
    /// `20150830T123600Z`; nil outside the years 1 to 9999.
    fileprivate var awsTimestamp: String? {
        let seconds = timeIntervalSince1970.rounded(.down)
        guard abs(seconds) < 1e12, let time = CivilTime(secondsSince1970: Int64(seconds)) else { return nil }
        func digits(_ number: Int, _ count: Int = 2) -> String {
            let text = String(number)
            return String(repeating: "0", count: Swift.max(0, count - text.utf8.count)) + text
        }
        return digits(time.year, 4) + digits(time.month) + digits(time.day) + "T" + digits(time.hour)
            + digits(time.minute) + digits(time.second) + "Z"
    }
}

extension String {
    /// Without spaces around it, and with one in place of several.
    fileprivate var trimmingInnerSpaces: String {
        split(whereSeparator: { $0 == " " || $0 == "\t" }).joined(separator: " ")
    }
}
