import Coordination
import Foundation
import HTTPMessages
import Synchronization
import SystemLibraries

/// Responses in files of mode 0600, one file for each URL, which is replaced atomically.
///
/// A file is a line with the length and the digest of what follows, the metadata as one line of JSON, and the body.
/// Files, and not a `LocalStore`, because a body may be large, because each one is written and read alone, and because
/// the operating system may purge a caches folder.
///
/// The limits are applied at the first response of a process and when the responses since exceed them. Other processes
/// may use the same folder.
final class PermanentResponses: Sendable {
    struct Limits: Hashable, Sendable {
        /// The size of all files.
        var bytes = 256 << 20
        /// The number of files.
        var count = 5000
        /// Seconds for which an expired response is kept, for use without a network.
        var staleLifetime: TimeInterval = 30 * 86_400
    }

    let folder: URL
    private let limits: Limits
    /// The size and number of files, at least; nil before they were counted.
    private let usage = Mutex<Usage?>(nil)

    private struct Usage {
        var bytes: Int
        var count: Int
    }

    init(folder: URL, limits: Limits = Limits()) {
        self.folder = folder
        self.limits = limits
    }

    /// The response of a URL; nil if there is none. A damaged file is removed and counts as none.
    /// - Throws: an error of the file system.
    func response(for key: String) throws -> CachedResponse? {
        let file = file(of: key)
        guard let data = try contents(of: file) else { return nil }
        guard let response = ResponseFile.response(in: data) else {
            SystemFile.delete(file.path)
            return nil
        }
        return response.metadata.key == key ? response : nil
    }

    private func contents(of file: URL) throws -> Data? {
        do {
            return try Data(contentsOf: file)
        } catch CocoaError.fileReadNoSuchFile {
            return nil
        }
    }

    /// Writes a response; one that exceeds the limits alone is not kept.
    /// - Throws: an error of the file system.
    func insert(_ response: CachedResponse, at now: Date) throws {
        let key = response.metadata.key
        let data = try ResponseFile.data(of: response)
        guard data.count <= limits.bytes else { return try remove(key) }
        // Not for other users of the system: the names of the files tell which URLs were loaded.
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let file = try HeldFile(in: folder, kind: Self.temporaryKind)
        do {
            try file.append(data)
            try file.move(to: self.file(of: key).path)
        } catch {
            file.delete()
            throw error
        }
        let isWithinLimits = usage.withLock { usage in
            guard var sum = usage else { return false }
            sum.bytes += data.count
            sum.count += 1
            usage = sum
            return sum.bytes <= limits.bytes && sum.count <= limits.count
        }
        if !isWithinLimits { try clean(at: now) }
    }

    /// Removes the response of a URL, if there is one.
    /// - Throws: an error of the file system.
    func remove(_ key: String) throws { try SystemFile.remove(file(of: key).path) }

    /// Removes the responses that meet a condition, by default all, and damaged ones; no other files of the folder.
    /// - Throws: the first error of the file system, after the attempt to remove them all.
    func removeAll(where condition: (CachedResponse.Metadata) -> Bool = { _ in true }) throws {
        var failure: (any Error)?
        for file in try files() {
            if let metadata = ResponseFile.metadata(in: file), !condition(metadata) { continue }
            do { try SystemFile.remove(file.path) } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
    }

    /// Removes damaged responses, those that have expired long ago, and the files of killed writers.
    ///
    /// Then, while there are too many, expired responses before others, and of these the oldest first.
    private func clean(at now: Date) throws {
        HeldFile.deleteAbandoned(in: folder, kind: Self.temporaryKind)
        var kept: [(file: URL, size: Int, isExpired: Bool, stored: Date)] = []
        for file in try files() {
            guard let size = try? FileStatus(at: file.path).size else { continue }
            let metadata = ResponseFile.metadata(in: file)
            let expires = metadata.map { $0.expires ?? $0.stored }
            guard let metadata, let expires, now < expires.addingTimeInterval(limits.staleLifetime) else {
                try SystemFile.remove(file.path)
                continue
            }
            kept.append((file, Int(size), expires <= now, metadata.stored))
        }
        kept.sort { ($0.isExpired ? 1 : 0, $1.stored) < ($1.isExpired ? 1 : 0, $0.stored) }
        var bytes = kept.reduce(0) { $0 + $1.size }
        // With room for more, so that the next response does not exceed the limits again.
        let isTooMuch = bytes > limits.bytes || kept.count > limits.count
        let (maximumBytes, maximumCount) =
            isTooMuch ? (limits.bytes / 10 * 9, limits.count / 10 * 9) : (bytes, kept.count)
        while let last = kept.last, kept.count > 1, bytes > maximumBytes || kept.count > maximumCount {
            try SystemFile.remove(last.file.path)
            bytes -= last.size
            kept.removeLast()
        }
        let total = Usage(bytes: bytes, count: kept.count)
        usage.withLock { $0 = total }
    }

    /// The files of responses.
    private func files() throws -> [URL] {
        do {
            return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
                .filter { $0.pathExtension == Self.fileExtension }
        } catch CocoaError.fileReadNoSuchFile {
            return []
        }
    }

    private static let fileExtension = "response"
    private static let temporaryKind = "part"

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
