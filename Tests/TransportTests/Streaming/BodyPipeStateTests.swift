import Foundation
import PatchbayTestKit
import Testing

@testable import Transport

@Suite("BodyPipeState") struct BodyPipeStateTests {
    private typealias Pipe = BodyPipeState<String>

    /// What the machine says, as a text: short, and easy to compare.
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

    /// Plays a script: `>text` writes, `+n file` has spilled, `?` asks, `-n` has loaded, `.` finishes, `!` fails,
    /// `x` closes. Each step names what is to be answered.
    private func play(
        _ steps: [(String, String)], limit: Int = 4, mergedSize: Int = 0, overhead: Int = 0,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        var pipe = Pipe(memoryLimit: limit, loadSize: 5, mergedSize: mergedSize, overhead: overhead)
        for (index, (step, expected)) in steps.enumerated() {
            let rest = String(step.dropFirst())
            var answer = ""
            switch step.first {
            case ">": answer = text(pipe.write(Data(rest.utf8)))
            case "+":
                let words = rest.split(separator: " ")
                pipe.spilled(Int(words[0]) ?? 0, to: words.dropFirst().first.map(String.init))
            case "?":
                let isWaiting = pipe.isWaiting
                answer = text(pipe.next())
                #expect(isWaiting == (answer == "wait"), "step \(index)", sourceLocation: sourceLocation)
            case "-": pipe.loaded(Int(rest) ?? 0)
            case ".": pipe.finish(nil)
            case "!": pipe.finish(Failure.network)
            default: answer = pipe.close(rest.isEmpty ? nil : Failure.closed) ?? ""
            }
            #expect(answer == expected, "step \(index): \(step)", sourceLocation: sourceLocation)
        }
    }

    private enum Failure: Error { case network, closed }

    @Test("a quick reader needs no file") func memory() {
        play([
            ("?", "wait"), (">ab", "done"), (">c", "done"), ("?", "ab,c"), ("?", "wait"), (">", "done"),
            ("?", "wait"), (">d", "done"), (".", ""), (">late", "done"), ("?", "d"), ("?", "end"), ("?", "end"),
        ])
    }

    @Test("what is too much goes to a file, and comes back in order") func spilling() {
        play([
            (">abcd", "done"), (">ef", "spill new 0"), ("+2 f", ""), (">ghijk", "spill f 2"), ("+5 f", ""),
            ("?", "abcd"),
            // There is room in memory again, but what is in the file is older.
            (">l", "spill f 7"), ("+1 f", ""), ("?", "load f 0 5"), ("-5", ""), ("?", "load f 5 3"),
            (">m", "spill f 8"), ("-3", ""), ("?", "wait"), ("+1 f", ""), ("?", "load f 8 1"), ("-1", ""),
            // Now the file is gone, and with it its space.
            (">n", "done"), ("?", "n"), (">opqr", "done"), (">s", "spill new 0"), ("+1 g", ""), (".", ""),
            ("?", "opqr"), ("?", "load g 0 1"), ("-1", ""), ("?", "end"),
        ])
    }

    @Test("one chunk may be larger than the limit") func large() {
        play([(">abcdefgh", "done"), (">i", "spill new 0"), ("+1 f", ""), ("?", "abcdefgh"), ("?", "load f 0 1")])
    }

    @Test("the reader gets no more at once than from a file") func portions() {
        play(
            [
                (">abc", "done"), (">de", "done"), (">f", "done"), (">ghijkl", "done"), (">m", "done"), ("?", "abc,de"),
                (">n", "done"), ("?", "f"), ("?", "ghijkl"), ("?", "m,n"), ("?", "wait"),
            ], limit: 100)
    }

    @Test("small chunks become one, up to a size") func merging() {
        play(
            [
                (">ab", "done"), (">c", "done"), (">d", "done"), (">ef", "done"), (">ghijk", "done"), (">l", "done"),
                ("?", "abcd"), ("?", "ef"), ("?", "ghijk"), ("?", "l"), ("?", "wait"),
            ], limit: 100, mergedSize: 4)
    }

    @Test("what a chunk takes beside its bytes counts, once for those that became one") func overhead() {
        play(
            [(">a", "done"), (">b", "done"), (">c", "spill new 0"), ("+1 f", ""), ("?", "a,b"), ("?", "load f 0 1")],
            limit: 22, overhead: 10)
        play(
            [
                (">a", "done"), (">b", "done"), (">cdefghij", "done"), (">k", "done"), (">l", "done"), (">m", "done"),
                (">n", "spill new 0"), ("?", "ab"), ("?", "cdefghijk"), ("?", "lm"), ("?", "wait"),
            ], limit: 43, mergedSize: 9, overhead: 10)
    }

    @Test("the end waits for what is on its way to the file") func endWhileSpilling() {
        play([
            (">abcd", "done"), (">e", "spill new 0"), (".", ""), ("?", "abcd"), ("?", "wait"), ("+1 f", ""),
            ("?", "load f 0 1"), ("-1", ""), ("?", "end"),
        ])
    }

    @Test("an error comes after the bytes before it, and once") func errors() {
        play([(">a", "done"), ("!", ""), (".", ""), ("?", "a"), ("?", "error network"), ("?", "end")])
        play([(".", ""), ("!", ""), ("?", "end")])
    }

    @Test("a file that takes no more ends with what it has") func fullDisk() {
        play([
            (">abcd", "done"), (">e", "spill new 0"), ("+1 f", ""), (">g", "spill f 1"), ("+0", ""), ("!", ""),
            ("?", "abcd"), ("?", "load f 0 1"), ("-1", ""), ("?", "error network"),
        ])
        play([(">abcd", "done"), (">e", "spill new 0"), ("+0", ""), ("!", ""), ("?", "abcd"), ("?", "error network")])
    }

    @Test("closing drops everything, and gives the file back") func closing() {
        play([(">abcd", "done"), ("x", ""), (">e", "done"), ("?", "end"), ("?", "end")])
        play([
            (">abcd", "done"), (">e", "spill new 0"), ("+1 f", ""), ("x!", "f"), ("x", ""), (">g", "done"),
            (".", ""), ("?", "error closed"), ("?", "end"),
        ])
        play([(">abcd", "done"), (">e", "spill new 0"), ("x!", ""), ("+1 f", ""), ("?", "error closed")])
        play([("!", ""), ("x!", ""), ("?", "error closed"), ("?", "end")])
    }

    @Test("whatever the order of events, every byte comes once and in order", arguments: 0..<50 as Range<UInt64>)
    func random(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var pipe = BodyPipeState<Int>(
            memoryLimit: Int.random(in: 1...40, using: &generator), loadSize: 7,
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
