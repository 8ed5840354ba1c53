import Foundation
import HTTPMessages
import SystemLibraries

/// The format of a file with a response: a line with the length and the digest of the rest, the metadata as one line of
/// JSON, and the body. So a file that was cut or changed is never taken for a response.
enum ResponseFile {
    private static let mark = "patchbay-response-3"
    private static let newline = UInt8(ascii: "\n")

    /// The bytes of a file.
    static func data(of response: CachedResponse) throws -> Data {
        var content = try JSONCoding.standard.encode(response.metadata)
        content.append(newline)
        content.append(response.body)
        return Data(try header(of: content).utf8) + content
    }

    /// The response in the bytes of a file; nil if they are damaged.
    static func response(in data: Data) -> CachedResponse? {
        guard let end = data.firstIndex(of: newline) else { return nil }
        let content = data[(end + 1)...]
        guard let header = try? header(of: content), data[...end].elementsEqual(header.utf8),
            let bodyStart = content.firstIndex(of: newline).map({ $0 + 1 }),
            let metadata = metadata(in: content[..<bodyStart])
        else { return nil }
        return CachedResponse(metadata, body: Data(content[bodyStart...]))
    }

    /// The metadata of a file, without a check of the body; nil if they are damaged.
    static func metadata(in file: URL) -> CachedResponse.Metadata? {
        guard let handle = try? FileHandle(forReadingFrom: file) else { return nil }
        defer { try? handle.close() }
        var start = Data()
        while start.count(where: { $0 == newline }) < 2 {
            guard let part = try? handle.read(upToCount: 4096), !part.isEmpty, start.count < 1 << 20 else { return nil }
            start.append(part)
        }
        let lines = start.split(separator: newline, maxSplits: 2, omittingEmptySubsequences: false)
        guard lines[0].starts(with: mark.utf8) else { return nil }
        return metadata(in: lines[1])
    }

    private static func metadata(in line: Data) -> CachedResponse.Metadata? {
        guard let metadata = try? JSONCoding.standard.decode(CachedResponse.Metadata.self, from: line),
            metadata.fields.allSatisfy({ $0.count == 2 })
        else { return nil }
        return metadata
    }

    private static func header(of content: Data) throws -> String {
        let digest = MessageDigest(.sha256)
        content.withUnsafeBytes { digest.update($0) }
        return "\(mark) \(content.count) \(Data(try digest.finish()).base64EncodedString())\n"
    }
}
