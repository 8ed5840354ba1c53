#if os(Linux)
    import Foundation
    import PatchbayTestKit
    import TestSupport
    import Testing

    @testable import ConformanceProbe

    @Suite("What ends the process", .needsSlot) struct ConformanceProbeTests {
        private static let crashes = ConformanceSubject.urlSessionExclusions.filter(\.value.endsProcess).keys.sorted()

        /// Runs one case in a process of its own.
        private func probe(_ name: String) async throws -> ChildProcess.Ending {
            // Beside the tests, where the package is built.
            let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
            let program = URL(filePath: tests).deletingLastPathComponent().appending(path: "ConformanceProbe")
            return try await ChildProcess.run(program.path, [name], environment: ["SWIFT_BACKTRACE": "enable=no"])
        }

        @Test("still does, in a process of its own", arguments: crashes) func stillEnds(name: String) async throws {
            let ending = try await probe(name)
            var isSignalled = false
            if case .signalled = ending { isSignalled = true }
            #expect(
                isSignalled,
                ending == .exited(0)
                    ? "Foundation survives it and conforms: the exclusion of \"\(name)\" can go."
                    : "Foundation survives it: the exclusion of \"\(name)\" needs no process of its own any more.")
        }

        @Test("are the cases known to, and others do not") func others() async throws {
            #expect(Self.crashes.count == 5)
            #expect(try await probe("GET arrives as it is") == .exited(0))
            #expect(try await probe("gzip that ends early is an error") == .exited(1))
        }
    }
#endif
