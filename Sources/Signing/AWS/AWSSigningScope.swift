import Foundation
import HTTPMessages
import SystemLibraries

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
