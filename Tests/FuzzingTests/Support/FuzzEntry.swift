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

/// What libFuzzer calls first: runs `PATCHBAY_FUZZ_SEEDED` seeded inputs, and writes the samples into the folder of
/// `PATCHBAY_FUZZ_SAMPLES`.
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
        var generator = InputGenerator(fuzzTarget, seed: 1)
        for number in 0..<inputs {
            let input = generator.next()
            do {
                try fuzzTarget.check(input)
            } catch {
                fatalError("\(fuzzTarget.name), input \(number), \(input.base64EncodedString()): \(error)")
            }
        }
        print("\(fuzzTarget.name): \(inputs) seeded inputs")
        exit(0)
    }
    return 0
}
