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
            let isRest = Self.isRest(range[...], from: offset, length: record?.length)
            self = isIdentity && isSame && isRest ? .appends : .mismatch
        default: self = .unrelated
        }
    }

    /// True for a `Content-Range` from an offset to the end of the file.
    /// - Parameter length: that of the file; nil if it is not known.
    private static func isRest(_ range: Substring, from offset: Int64, length: Int64?) -> Bool {
        guard range.lowercased().hasPrefix("bytes ") else { return false }
        let parts = range.dropFirst(6).split(separator: "/", maxSplits: 1)
        let bounds = parts.first?.split(separator: "-", maxSplits: 1).map { Int64($0) } ?? []
        guard bounds.count == 2, bounds[0] == offset, let last = bounds[1], last >= offset,
            length.map({ $0 == last &+ 1 }) ?? true
        else { return false }
        return parts.count == 1 || parts[1] == "*" || Int64(parts[1]) == last &+ 1
    }
}
