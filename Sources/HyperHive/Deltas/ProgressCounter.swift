import Foundation

/// Counter of the bytes and rows of one response, for use on one thread only.
final class ProgressCounter {
    private var progress = HyperHiveProgress()
    private let onProgress: (HyperHiveProgress) -> Void

    init(_ onProgress: @escaping (HyperHiveProgress) -> Void) { self.onProgress = onProgress }

    /// Counts a chunk, and returns it.
    func received(_ chunk: Data) -> Data {
        progress.bytes += Int64(chunk.count)
        onProgress(progress)
        return chunk
    }

    /// Counts the rows of a batch.
    func read(_ rows: Int) {
        progress.rows += rows
        onProgress(progress)
    }
}
