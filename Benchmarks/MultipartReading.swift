import Foundation
import ResponseDecoding

/// A multipart body of parts of 1 MiB, as pieces of 64 KiB that a network could deliver.
private struct MultipartSample {
    let parts: Int
    private let head: Data
    private let content: Data

    init(parts: Int) {
        self.parts = parts
        head = Data("\r\n--benchmark\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.bin\"\r\n\r\n".utf8)
        // Line ends and dashes are as frequent as in random bytes.
        var state: UInt64 = 0x9E37_79B9_7F4A_7C15
        content = Data(
            (0..<(64 << 10)).map { _ in
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return UInt8(truncatingIfNeeded: state >> 56)
            })
    }

    var byteCount: Int { parts * (head.count + 16 * content.count) }

    /// Hands out the pieces.
    func forEachPiece(_ body: (Data) throws -> Void) rethrows {
        for _ in 0..<parts {
            try body(head)
            for _ in 0..<16 { try body(content) }
        }
        try body(Data("\r\n--benchmark--\r\n".utf8))
    }
}

extension Harness {
    /// Measures speed and memory of the multipart reader. Must run before other benchmarks allocate memory.
    func multipartFlow() throws -> RowFlow {
        let sample = MultipartSample(parts: count(2048))
        // Once before, so that only what the reader keeps is counted.
        _ = try read(MultipartSample(parts: 2))
        Usage.resetPeak()
        let before = Usage.peak
        var parts = 0
        let seconds = try cpuSeconds { parts = try read(sample) }
        precondition(parts == sample.parts)
        return RowFlow(
            name: "Multipart reader, parts of 1 MiB", rows: parts, bytes: sample.byteCount, seconds: seconds,
            peakGrowth: Usage.peak - before)
    }

    /// Compares the multipart reader with one look at each byte.
    func multipartFigure() async throws -> Figure {
        let sample = MultipartSample(parts: count(256))
        return try await compareTimes(
            "Multipart reader, parts of 1 MiB", operations: sample.parts,
            against: "a search for line ends",
            subject: {
                var parts = 0
                let seconds = try cpuSeconds { parts = try read(sample) }
                precondition(parts == sample.parts)
                return seconds
            },
            baseline: {
                cpuSeconds {
                    var lineEnds = 0
                    sample.forEachPiece { piece in
                        piece.withUnsafeBytes { bytes in
                            var rest = bytes[...]
                            while let index = rest.firstIndexOfLineEnd {
                                lineEnds += 1
                                rest = rest[(index + 1)...]
                            }
                        }
                    }
                    precondition(lineEnds > 0)
                }
            })
    }

    private func read(_ sample: MultipartSample) throws -> Int {
        var parser = try MultipartParser(boundary: "benchmark", limits: MultipartLimits(parts: .max))
        var (parts, bytes) = (0, 0)
        func drain() throws {
            while let event = try parser.next() {
                switch event {
                case .head: parts += 1
                case .bytes(let content): bytes += content.count
                case .end: break
                }
            }
        }
        try sample.forEachPiece { piece in
            parser.push(piece)
            try drain()
        }
        parser.finish()
        try drain()
        precondition(bytes == sample.parts << 20)
        return parts
    }
}

extension Slice<UnsafeRawBufferPointer> {
    /// The index of the first CR, by memchr(3).
    fileprivate var firstIndexOfLineEnd: Int? {
        guard let start = base.baseAddress, !isEmpty, let found = memchr(start + startIndex, 0x0D, count) else {
            return nil
        }
        return UnsafeRawPointer(found) - start
    }
}
