import Foundation
import PatchbayTestKit
import Testing

@testable import Transport

@Suite struct ResponseBodyPipeStateTests {
    private typealias Pipe = ResponseBodyPipeState<String>

    /// An action as a short text, for comparison.
    private func text(_ write: Pipe.Write) -> String {
        switch write {
        case .done: "done"
        case .spill(let file, let offset): "spill \(file ?? "new") \(offset)"
        }
    }

    private func text(_ read: Pipe.Read) -> String {
        switch read {
        case .chunks(let chunks): chunks.map { String(decoding: $0, as: UTF8.self) }.joined(separator: ",")
        case .load(let file, let offset, let count): "load \(file) \(offset) \(count)"
        case .wait: "wait"
        case .end(let error): error.map { "error \($0)" } ?? "end"
        }
    }

    /// Runs a script: `>text` writes, `+n file` has spilled, `?` reads, `-n` has loaded, `.` finishes, `!` fails,
    /// `x` closes, `=` asks whether the pipe is full. Each step has its expected action.
    private func play(
        _ steps: [(String, String)], suspension: Int? = nil, spilling: Int? = nil, mergedSize: Int = 0,
        overhead: Int = 0, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let limits = ResponseBodyLimits(
            suspension: suspension, spilling: suspension == nil ? spilling ?? 4 : spilling)
        var pipe = Pipe(limits, loadSize: 5, mergedSize: mergedSize, overhead: overhead)
        for (index, (step, expected)) in steps.enumerated() {
            let rest = String(step.dropFirst())
            var action = ""
            switch step.first {
            case ">": action = text(pipe.write(Data(rest.utf8)))
            case "+":
                let words = rest.split(separator: " ")
                pipe.spilled(Int(words[0]) ?? 0, to: words.dropFirst().first.map(String.init))
            case "?":
                let isWaiting = pipe.isWaiting
                action = text(pipe.next())
                #expect(isWaiting == (action == "wait"), "step \(index)", sourceLocation: sourceLocation)
            case "-": pipe.loaded(Int(rest) ?? 0)
            case "=": action = pipe.isFull ? "full" : "flowing"
            case ".": pipe.finish(nil)
            case "!": pipe.finish(Failure.network)
            default: action = pipe.close(rest.isEmpty ? nil : Failure.closed) ?? ""
            }
            #expect(action == expected, "step \(index): \(step)", sourceLocation: sourceLocation)
        }
    }

    private enum Failure: Error { case network, closed }

    @Test func `a fast reader needs no file`() {
        play([
            ("?", "wait"), (">ab", "done"), (">c", "done"), ("?", "ab,c"), ("?", "wait"), (">", "done"),
            ("?", "wait"), (">d", "done"), (".", ""), (">late", "done"), ("?", "d"), ("?", "end"), ("?", "end"),
        ])
    }

    @Test func `bytes beyond the limit go to a file and come back in order`() {
        play([
            (">abcd", "done"), (">ef", "spill new 0"), ("+2 f", ""), (">ghijk", "spill f 2"), ("+5 f", ""),
            ("?", "abcd"),
            // Memory is available again, but the bytes in the file are older.
            (">l", "spill f 7"), ("+1 f", ""), ("?", "load f 0 5"), ("-5", ""), ("?", "load f 5 3"),
            (">m", "spill f 8"), ("-3", ""), ("?", "wait"), ("+1 f", ""), ("?", "load f 8 1"), ("-1", ""),
            // The file is released now.
            (">n", "done"), ("?", "n"), (">opqr", "done"), (">s", "spill new 0"), ("+1 g", ""), (".", ""),
            ("?", "opqr"), ("?", "load g 0 1"), ("-1", ""), ("?", "end"),
        ])
    }

    @Test func `one chunk may be larger than the limit`() {
        play([(">abcdefgh", "done"), (">i", "spill new 0"), ("+1 f", ""), ("?", "abcdefgh"), ("?", "load f 0 1")])
    }

    @Test func `a read from memory is limited like a read from the file`() {
        play(
            [
                (">abc", "done"), (">de", "done"), (">f", "done"), (">ghijkl", "done"), (">m", "done"), ("?", "abc,de"),
                (">n", "done"), ("?", "f"), ("?", "ghijkl"), ("?", "m,n"), ("?", "wait"),
            ], spilling: 100)
    }

    @Test func `small chunks are joined up to a size`() {
        play(
            [
                (">ab", "done"), (">c", "done"), (">d", "done"), (">ef", "done"), (">ghijk", "done"), (">l", "done"),
                ("?", "abcd"), ("?", "ef"), ("?", "ghijk"), ("?", "l"), ("?", "wait"),
            ], spilling: 100, mergedSize: 4)
    }

    @Test func `the overhead counts once per joined chunk`() {
        play(
            [(">a", "done"), (">b", "done"), (">c", "spill new 0"), ("+1 f", ""), ("?", "a,b"), ("?", "load f 0 1")],
            spilling: 22, overhead: 10)
        play(
            [
                (">a", "done"), (">b", "done"), (">cdefghij", "done"), (">k", "done"), (">l", "done"), (">m", "done"),
                (">n", "spill new 0"), ("?", "ab"), ("?", "cdefghijk"), ("?", "lm"), ("?", "wait"),
            ], spilling: 43, mergedSize: 9, overhead: 10)
    }

    @Test func `the end waits for a chunk being spilled`() {
        play([
            (">abcd", "done"), (">e", "spill new 0"), (".", ""), ("?", "abcd"), ("?", "wait"), ("+1 f", ""),
            ("?", "load f 0 1"), ("-1", ""), ("?", "end"),
        ])
    }

    @Test func `an error comes once, after the bytes before it`() {
        play([(">a", "done"), ("!", ""), (".", ""), ("?", "a"), ("?", "error network"), ("?", "end")])
        play([(".", ""), ("!", ""), ("?", "end")])
    }

    @Test func `a failed spill ends with the bytes written before`() {
        play([
            (">abcd", "done"), (">e", "spill new 0"), ("+1 f", ""), (">g", "spill f 1"), ("+0", ""), ("!", ""),
            ("?", "abcd"), ("?", "load f 0 1"), ("-1", ""), ("?", "error network"),
        ])
        play([(">abcd", "done"), (">e", "spill new 0"), ("+0", ""), ("!", ""), ("?", "abcd"), ("?", "error network")])
    }

    @Test func `closing drops all bytes and returns the file`() {
        play([(">abcd", "done"), ("x", ""), (">e", "done"), ("?", "end"), ("?", "end")])
        play([
            (">abcd", "done"), (">e", "spill new 0"), ("+1 f", ""), ("x!", "f"), ("x", ""), (">g", "done"),
            (".", ""), ("?", "error closed"), ("?", "end"),
        ])
        play([(">abcd", "done"), (">e", "spill new 0"), ("x!", ""), ("+1 f", ""), ("?", "error closed")])
        play([("!", ""), ("x!", ""), ("?", "error closed"), ("?", "end")])
    }

    @Test func `a pipe that suspends is full from its limit until half of it is drained`() {
        play(
            [
                ("=", "flowing"), (">abcd", "done"), (">efg", "done"), ("=", "flowing"), (">h", "done"), ("=", "full"),
                // On their way when the writer was suspended.
                (">ij", "done"), ("?", "abcd"), ("=", "full"), (">k", "done"), ("?", "efg,h"), ("=", "flowing"),
                (">lmnop", "done"), ("=", "full"), ("?", "ij,k"), ("=", "full"), ("?", "lmnop"), ("=", "flowing"),
                ("?", "wait"), (".", ""), ("?", "end"),
            ], suspension: 8)
        // With overhead, and limits that one chunk reaches.
        for limit in [-1, 0, 1, 12] {
            play(
                [(">ab", "done"), ("=", "full"), ("?", "ab"), ("=", "flowing"), (">cd", "done"), ("=", "full")],
                suspension: limit, overhead: 10)
        }
    }

    @Test(arguments: [".", "!", "x", "x!"]) func `a pipe that has ended suspends nothing`(end: String) {
        play(
            [(">abcd", "done"), ("=", "full"), (end, ""), ("=", "flowing"), (">e", "done"), ("=", "flowing")],
            suspension: 4)
    }

    @Test func `a writer that ignores its suspension spills, and is resumed at half of the first limit`() {
        play(
            [
                (">abcd", "done"), ("=", "full"), (">efg", "done"), (">h", "done"), (">ij", "spill new 0"),
                ("+2 f", ""),
                (">kl", "spill f 2"), ("+2 f", ""), ("?", "abcd"), ("=", "full"), ("?", "efg,h"), ("=", "full"),
                ("?", "load f 0 4"), ("-4", ""), ("=", "flowing"), (">mn", "done"), ("=", "flowing"), ("?", "mn"),
            ], suspension: 4, spilling: 8)
    }

    @Test func `a pipe that only spills is never full`() {
        play([(">abcd", "done"), ("=", "flowing"), (">ef", "spill new 0"), ("=", "flowing"), ("+2 f", "")])
    }

    @Test(arguments: 0..<50 as Range<UInt64>)
    func `every byte comes once and in order, for random events`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var pipe = ResponseBodyPipeState<Int>(
            ResponseBodyLimits(
                suspension: Bool.random(using: &generator) ? 20 : nil,
                spilling: Int.random(in: 1...40, using: &generator)), loadSize: 7,
            mergedSize: Int.random(in: 0...30, using: &generator), overhead: Int.random(in: 0...9, using: &generator))
        var files: [Int: Data] = [:]
        let source = bytes(2000, seed: seed)
        var written = 0
        var received = Data()
        var pending: (file: Int?, offset: Int64, chunk: Data)?
        var loading: (file: Int, offset: Int64, count: Int)?
        var isOver = false
        while !isOver {
            if Bool.random(using: &generator) {
                if let (file, offset, chunk) = pending {
                    let name = file ?? files.count
                    files[name, default: Data()].replaceSubrange(Int(offset)..., with: chunk)
                    pipe.spilled(chunk.count, to: name)
                    pending = nil
                } else if written < source.count {
                    let chunk = source.dropFirst(written).prefix(Int.random(in: 1...20, using: &generator))
                    written += chunk.count
                    if case .spill(let file, let offset) = pipe.write(chunk) { pending = (file, offset, chunk) }
                } else {
                    pipe.finish(nil)
                }
            } else if let (file, offset, count) = loading {
                received += (files[file] ?? Data()).dropFirst(Int(offset)).prefix(count)
                pipe.loaded(count)
                loading = nil
            } else {
                switch pipe.next() {
                case .chunks(let chunks): for chunk in chunks { received += chunk }
                case .load(let file, let offset, let count): loading = (file, offset, count)
                case .wait: break
                case .end: isOver = true
                }
            }
        }
        #expect(received == source)
    }
}
