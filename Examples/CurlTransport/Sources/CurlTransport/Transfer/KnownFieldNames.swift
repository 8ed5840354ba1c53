import Foundation
import HTTPMessages

/// Table of field names by their length: most lines of a head need no new name.
struct KnownFieldNames: Sendable {
    /// Names of one length; their bytes follow each other in ``bytes``.
    private struct Group {
        var names: [HTTPFieldName] = []
        var bytes: [UInt8] = []
    }

    /// By the number of bytes.
    private var groups: [Group] = []

    init(_ names: [HTTPFieldName]) {
        for name in names {
            let count = name.rawName.utf8.count
            while groups.count <= count { groups.append(Group()) }
            groups[count].names.append(name)
            groups[count].bytes += name.rawName.utf8
        }
    }

    /// The name with exactly these bytes; nil if it is not in the table.
    func name(_ name: UnsafeRawBufferPointer) -> HTTPFieldName? {
        guard name.count > 0, name.count < groups.count, let address = name.baseAddress else { return nil }
        let index = groups[name.count].bytes.withUnsafeBytes { bytes in
            stride(from: 0, to: bytes.count, by: name.count).first { start in
                bytes.baseAddress.map { memcmp($0 + start, address, name.count) == 0 } ?? false
            }
        }
        return index.map { groups[name.count].names[$0 / name.count] }
    }

    /// The names of most responses, as they are written in HTTP/1.1 and in HTTP/2.
    static let common = KnownFieldNames(
        standardNames + standardNames.compactMap { try? HTTPFieldName($0.canonicalName) })
    private static let standardNames: [HTTPFieldName] =
        [
            .contentType, .contentLength, .contentEncoding, .transferEncoding, .date, .connection, .etag, .lastModified,
            .location, .setCookie, .acceptRanges, .retryAfter, .wwwAuthenticate,
        ] + ["Server", "Cache-Control", "Keep-Alive", "Vary", "Expires"].compactMap { try? HTTPFieldName($0) }
}
