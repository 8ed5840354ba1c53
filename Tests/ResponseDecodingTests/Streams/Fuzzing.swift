import Foundation

/// `PATCHBAY_STREAM_INPUTS` sets the number of random inputs of each parser, default 500.
enum Fuzzing {
    static let inputs = ProcessInfo.processInfo.environment["PATCHBAY_STREAM_INPUTS"].flatMap(Int.init) ?? 500
    /// Random inputs for each of ten seeds.
    static let rounds = max(1, inputs / 10)
}
