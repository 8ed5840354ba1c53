import Foundation
import HTTPMessages

/// The bytes of a body in a temporary file, from which they can be sent without waiting.
///
/// URLSession on Linux reads a request body on the queue that all sessions share, so a read must never wait for a
/// producer. On Apple's platforms it takes nothing but bytes and files.
struct BodySpool: Sendable {
    /// The reason why a body could not be collected.
    enum Failure: Error {
        /// Its bytes could not be read, or are not as many as it stated.
        case body(any Error)
        /// The temporary file could not be created or written.
        case disk(any Error)
    }

    /// The body, which can be sent again, as long as there is a copy of the spool. The file goes with the last one.
    let body: HTTPBody
    /// The file, which has a name when an engine is to open it.
    let file: SpillFile

    /// Collects a body's bytes.
    /// - Parameters:
    ///   - directory: the folder on whose disk the file is.
    ///   - means: decides whether the file has a name, and ``body`` is that file.
    init(
        _ source: HTTPBody, in directory: URL = FileManager.default.temporaryDirectory, for means: BodyUpload.Means
    ) async throws(Failure) {
        do { file = try SpillFile(in: directory, isNamed: means == .files) } catch { throw .disk(error) }
        var count: Int64 = 0
        do {
            try await Self.read(source) { [file] chunk in
                if let length = source.length, count + Int64(chunk.count) > length {
                    throw HTTPMessageError(
                        .bodyLengthMismatch, "The body has more bytes than the \(length) that it stated.")
                }
                do { try file.write(chunk, at: count) } catch { throw Failure.disk(error) }
                count += Int64(chunk.count)
            }
            guard source.length == nil || source.length == count else {
                throw HTTPMessageError(
                    .bodyLengthMismatch, "The body has \(count) bytes and stated \(source.length ?? 0).")
            }
        } catch let failure as Failure {
            throw failure
        } catch {
            throw .body(error)
        }
        guard let url = file.url else {
            body = .generated(length: count) { [file, count] in SpillReader(file, count: count) }
            return
        }
        do { body = try .file(at: url) } catch { throw .disk(error) }
    }

    /// Gives a body's bytes to `take`, piece by piece.
    private static func read(_ source: HTTPBody, _ take: (Data) throws -> Void) async throws {
        guard let reader = try source.makeReader() else {
            for try await chunk in source.chunks() {
                try Task.checkCancellation()
                try take(chunk)
            }
            return
        }
        while try releasingTemporaries({
            guard let data = try reader.checkedRead(atMost: 65_536) else { return false }
            try take(data)
            return true
        }) { try Task.checkCancellation() }
    }
}

/// Does one step of a loop without keeping what Foundation autoreleases in it, such as each piece read from a file.
private func releasingTemporaries<Result>(_ step: () throws -> Result) rethrows -> Result {
    #if canImport(ObjectiveC)
        try autoreleasepool(invoking: step)
    #else
        try step()
    #endif
}

/// Reads a temporary file from its start.
private final class SpillReader: HTTPBodyReader {
    private let file: SpillFile
    private let count: Int64
    private var offset: Int64 = 0

    init(_ file: SpillFile, count: Int64) {
        self.file = file
        self.count = count
    }

    func read(atMost limit: Int) throws -> Data? {
        guard offset < count else { return nil }
        let data = try file.read(Int(min(Int64(max(1, limit)), count - offset)), at: offset)
        offset += Int64(data.count)
        return data
    }
}
