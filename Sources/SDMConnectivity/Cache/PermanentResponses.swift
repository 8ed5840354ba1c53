import Foundation

/// Responses in files, one file for each URL, which is replaced atomically.
///
/// A file is the metadata as one line of JSON, and the body. Files, and not a `LocalStore`, because a body may be
/// large, because each one is written and read alone, and because the operating system may purge a caches folder.
struct PermanentResponses: Sendable {
    let folder: URL

    /// The response of a URL; nil if there is none. A damaged file counts as none.
    /// - Throws: an error of the file system.
    func response(for key: String) throws -> CachedResponse? {
        guard let response = try response(in: file(of: key)), response.metadata.key == key else { return nil }
        return response
    }

    private func response(in file: URL) throws -> CachedResponse? {
        let data: Data
        do {
            data = try Data(contentsOf: file)
        } catch CocoaError.fileReadNoSuchFile {
            return nil
        }
        guard let end = data.firstIndex(of: UInt8(ascii: "\n")),
            let metadata = try? JSONDecoder().decode(CachedResponse.Metadata.self, from: data[..<end]),
            metadata.fields.allSatisfy({ $0.count == 2 })
        else { return nil }
        return CachedResponse(metadata, body: Data(data[(end + 1)...]))
    }

    /// Writes a response.
    /// - Throws: an error of the file system.
    func insert(_ response: CachedResponse) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        var data = try JSONEncoder().encode(response.metadata)
        data.append(UInt8(ascii: "\n"))
        data.append(response.body)
        try data.write(to: file(of: response.metadata.key), options: .atomic)
    }

    /// Removes the response of a URL, if there is one.
    /// - Throws: an error of the file system.
    func remove(_ key: String) throws { try removeItem(file(of: key)) }

    /// Removes the responses that meet a condition, by default all, and no other files of the folder.
    /// - Throws: an error of the file system.
    func removeAll(where condition: (CachedResponse.Metadata) -> Bool = { _ in true }) throws {
        let files: [URL]
        do {
            files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        } catch CocoaError.fileReadNoSuchFile {
            return
        }
        for file in files where file.pathExtension == Self.fileExtension {
            if let response = try? response(in: file), !condition(response.metadata) { continue }
            try removeItem(file)
        }
    }

    private func removeItem(_ file: URL) throws {
        do { try FileManager.default.removeItem(at: file) } catch CocoaError.fileNoSuchFile {}
    }

    private static let fileExtension = "response"

    /// Named after two FNV-1a hashes of the URL. The metadata have the URL itself, so that a collision is only a miss.
    private func file(of key: String) -> URL {
        let forward = key.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        let backward = key.utf8.reversed().reduce(forward) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        let name = [forward, backward].map { hash in
            let digits = String(hash, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }
        return folder.appending(path: "\(name.joined()).\(Self.fileExtension)")
    }
}
