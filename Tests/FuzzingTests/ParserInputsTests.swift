import Foundation
import TestSupport
import Testing

/// Parsers keep their promises for any input. `.ci/fuzz` looks for inputs that break one, guided by coverage.
@Suite(.needsSlot) struct ParserInputsTests {
    /// Seeded inputs of each parser; `.ci/fuzz seeded` runs a million.
    private static let count = ProcessInfo.processInfo.environment["PATCHBAY_SEEDS"].flatMap(Int.init) ?? 200

    @Test(arguments: FuzzTarget.all) func `samples are read without an error`(target: FuzzTarget) throws {
        for sample in target.samples { try target.check(sample) }
    }

    /// After a trap, the files `patchbay-input-*` in the temporary folder have the inputs that were being read.
    @Test(arguments: FuzzTarget.all) func `seeded inputs are read, or are a typed error`(target: FuzzTarget) throws {
        var generator = InputGenerator(target, seed: 1)
        let file = try InputFile(of: target)
        for number in 0..<Self.count {
            let input = generator.next()
            try file.write(input)
            do {
                try target.check(input)
            } catch {
                Issue.record("input \(number), in Base64 \(input.base64EncodedString()): \(error)")
                break
            }
        }
        try file.remove()
    }

    /// The file of an input is in the folder `Corpus/<target>`.
    @Test(arguments: FuzzTarget.all) func `inputs that broke a promise once keep it`(target: FuzzTarget) throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Corpus/\(target.name)")
        let files = try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        for file in (files ?? []).sorted(by: { $0.path < $1.path }) {
            do {
                try target.check(Data(contentsOf: file))
            } catch {
                Issue.record("\(file.lastPathComponent): \(error)")
            }
        }
    }

    @Test func `each folder of inputs belongs to a parser`() throws {
        let corpus = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Corpus")
        let folders = try FileManager.default.contentsOfDirectory(atPath: corpus.path).filter { !$0.hasPrefix(".") }
        let names = FuzzTarget.all.map { $0.name } + ["README.md"]
        #expect(Set(folders).isSubset(of: names) && Set(names).count == names.count)
    }
}
