import Foundation

/// Counter of a load's bytes and rows, for use on its thread only.
final class LoadMeter {
    private var progress = LoadProgress()
    private let onProgress: (LoadProgress) -> Void

    init(_ onProgress: @escaping (LoadProgress) -> Void) { self.onProgress = onProgress }

    /// Counts a chunk, and returns it.
    func received(_ chunk: Data) -> Data {
        progress.bytes += Int64(chunk.count)
        onProgress(progress)
        return chunk
    }

    /// Counts the rows of a batch.
    func loaded(_ rows: Int) {
        progress.rows += rows
        onProgress(progress)
    }
}
