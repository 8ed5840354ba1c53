import HTTPMessages
import Transport

/// How a response continues a download.
enum Continuation: Equatable {
    /// The body follows the bytes of the file.
    case appends
    /// The body is the whole file.
    case replaces
    /// The body is not the file's: the file must be loaded from its start.
    case mismatch
    /// The body is not a file, so the partial one is kept and the body is in memory.
    case unrelated

    /// - Parameters:
    ///   - offset: the number of bytes that were asked to be left out; 0 if none.
    ///   - record: what these bytes are of; nil if that is not known.
    init(_ head: HTTPResponseHead, offset: Int64, record: DownloadRecord? = nil) {
        guard offset > 0 else {
            self = .replaces
            return
        }
        switch head.status.code {
        case 416: self = .mismatch
        case 200..<300:
            guard let range = head.fields[.contentRange] else {
                // Without it, the body of a 206 has several parts.
                self = head.status == .partialContent ? .mismatch : .replaces
                return
            }
            // The file has decoded bytes, which the positions of a compressed body do not count.
            let coding = head.decodedContentCodings ?? head.fields[.contentEncoding] ?? "identity"
            let isIdentity = coding.lowercased() == "identity"
            // A server may ignore `If-Range`, and send the rest of another version.
            let isSame = record.map { [nil, $0.entityTag].contains(head.fields[.etag]) } ?? true
            let isRest = Self.isRest(range, from: offset, length: record?.length)
            self = isIdentity && isSame && isRest ? .appends : .mismatch
        default: self = .unrelated
        }
    }

    /// True for a `Content-Range` from an offset to the end of the file.
    /// - Parameter length: that of the file; nil if it is not known.
    private static func isRest(_ text: String, from offset: Int64, length: Int64?) -> Bool {
        guard let content = ContentRange(parsing: text), let range = content.range, range.lowerBound == offset else {
            return false
        }
        return [length, content.length].allSatisfy { $0 == nil || $0 == range.upperBound }
    }
}
