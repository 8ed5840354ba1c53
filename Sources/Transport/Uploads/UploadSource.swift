import Foundation
import HTTPMessages
import SystemLibraries

/// A body that can be sent in parts.
struct UploadSource: Sendable {
    private let body: HTTPBody
    let length: Int64

    /// - Throws: ``UploadError`` (`unsupportedBody`).
    init(_ body: HTTPBody) throws(UploadError) {
        switch body.source {
        case .bytes, .file: break
        default:
            throw UploadError(.unsupportedBody, "Body is neither bytes nor a file; write it to a file first.")
        }
        self.body = body
        length = body.length ?? 0
    }

    /// The bytes of a range.
    /// - Throws: `HTTPMessageError` (`unreadableFile`) when the file is gone or shorter.
    func part(_ range: Range<Int64>) throws -> HTTPBody {
        switch body.source {
        case .bytes(let data):
            .bytes(data.dropFirst(Int(range.lowerBound)).prefix(Int(range.upperBound - range.lowerBound)))
        case .file(let file):
            try .file(
                at: file.url,
                range: (file.range.lowerBound + range.lowerBound)..<(file.range.lowerBound + range.upperBound))
        default: body
        }
    }

    /// A digest of the ends of the content.
    func fingerprint() throws -> String {
        let digest = MessageDigest(.sha256)
        let size = min(length, 65_536)
        for range in [0..<size, (length - size)..<length] {
            guard let reader = try part(range).makeReader() else { continue }
            while let bytes = try reader.read(atMost: 65_536) { bytes.withUnsafeBytes { digest.update($0) } }
        }
        return Data(try digest.finish()).base64EncodedString()
    }
}
