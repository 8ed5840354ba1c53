import Coordination
import Foundation
import HTTPMessages
import SystemLibraries

/// A request body collected in a temporary file, so that reading it never waits for a producer.
///
/// URLSession on Linux reads request bodies on the queue that all sessions share, so a blocking read would stall every
/// request. On Apple's platforms the engine is given only bytes and files.
struct RequestBodySpool: Sendable {
    /// Why a body could not be collected.
    enum Failure: Error {
        /// The body could not be read, or its length differs from the declared one.
        case body(any Error)
        /// The temporary file could not be created or written.
        case disk(any Error)
    }

    /// The replayable body, valid while a copy of the spool exists.
    let body: HTTPBody
    /// The file, named if the engine opens it by path.
    let file: ScratchFile

    /// Collects a body's bytes.
    /// - Parameters:
    ///   - directory: the folder of the file.
    ///   - support: with `files`, the file is named and ``body`` refers to it.
    init(
        _ source: HTTPBody, in directory: URL = FileManager.default.temporaryDirectory,
        for support: RequestBodyUpload.Support
    ) async throws(Failure) {
        do { file = try ScratchFile(in: directory, isNamed: support == .files) } catch { throw .disk(error) }
        var count: Int64 = 0
        do {
            try await Self.read(source) { [file] chunk in
                if let length = source.length, count + Int64(chunk.count) > length {
                    throw HTTPMessageError(
                        .bodyLengthMismatch, "Body is longer than its declared length (\(length) bytes).")
                }
                do { try file.write(chunk, at: count) } catch { throw Failure.disk(error) }
                count += Int64(chunk.count)
            }
            guard source.length == nil || source.length == count else {
                throw HTTPMessageError(
                    .bodyLengthMismatch,
                    "Body has \(count) bytes, but its declared length is \(source.length ?? 0) bytes.")
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

    /// Passes a body's chunks to `take`.
    private static func read(_ source: HTTPBody, _ take: (Data) throws -> Void) async throws {
        guard let reader = try source.makeReader() else {
            for try await chunk in source.chunks() {
                try Task.checkCancellation()
                try take(chunk)
            }
            return
        }
        while try releasingTemporaries({
            guard let data = try reader.read(atMost: 65_536) else { return false }
            try take(data)
            return true
        }) { try Task.checkCancellation() }
    }
}

/// Reads a spill file from its start.
private final class SpillReader: HTTPBodyReader {
    private let file: ScratchFile
    private let count: Int64
    private var offset: Int64 = 0

    init(_ file: ScratchFile, count: Int64) {
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
