import Foundation

/// The target that `.ci/fuzz` names.
private let fuzzTarget = FuzzTarget.all.first { $0.name == ProcessInfo.processInfo.environment["PATCHBAY_FUZZ_TARGET"] }

/// What libFuzzer calls with each input. `.ci/fuzz` links it; the tests do not call it.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard let fuzzTarget else { fatalError("PATCHBAY_FUZZ_TARGET names none of the targets.") }
    do {
        try fuzzTarget.check(start.map { Data(bytes: $0, count: count) } ?? Data())
    } catch {
        fatalError("\(fuzzTarget.name): \(error)")
    }
    return 0
}

/// Reads seeded inputs. A file has the one that is being read, until all were.
private func checkSeeded(_ inputs: Int, of target: FuzzTarget, _ url: URL?) throws {
    var generator = InputGenerator(target, seed: 1)
    let file = try url.map { try InputFile($0) } ?? InputFile(of: target)
    for _ in 0..<inputs {
        let input = generator.next()
        try file.write(input)
        try target.check(input)
    }
    try file.remove()
}

/// What libFuzzer calls first: runs `PATCHBAY_FUZZ_SEEDED` seeded inputs, with each in the file `PATCHBAY_FUZZ_INPUT`
/// while it is read, and writes the samples into the folder of `PATCHBAY_FUZZ_SAMPLES`.
@_cdecl("LLVMFuzzerInitialize")
public func initializeFuzzer(_ count: UnsafeMutablePointer<CInt>?, _ arguments: UnsafeMutableRawPointer?) -> CInt {
    let environment = ProcessInfo.processInfo.environment
    if environment["PATCHBAY_FUZZ_TARGET"] == "list" {
        for target in FuzzTarget.all { print(target.name) }
        exit(0)
    }
    guard let fuzzTarget else { fatalError("PATCHBAY_FUZZ_TARGET names none of the targets.") }
    if let folder = environment["PATCHBAY_FUZZ_SAMPLES"] {
        for (number, sample) in fuzzTarget.samples.enumerated() {
            try? sample.write(to: URL(filePath: folder).appending(path: "sample-\(number)"))
        }
    }
    if let inputs = environment["PATCHBAY_FUZZ_SEEDED"].flatMap(Int.init) {
        do {
            try checkSeeded(inputs, of: fuzzTarget, environment["PATCHBAY_FUZZ_INPUT"].map { URL(filePath: $0) })
        } catch {
            fatalError("\(fuzzTarget.name): \(error)")
        }
        print("\(fuzzTarget.name): \(inputs) seeded inputs")
        exit(0)
    }
    return 0
}
