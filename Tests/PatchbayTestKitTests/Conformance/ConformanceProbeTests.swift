#if os(Linux)
    import Foundation
    import PatchbayTestKit
    import Testing

    @testable import ConformanceProbe

    @Suite("What ends the process", .timeLimit(.minutes(2))) struct ConformanceProbeTests {
        private static let crashes = ConformanceSubject.urlSessionExclusions.filter(\.value.endsProcess).keys.sorted()

        /// Runs one case in a process of its own.
        private func probe(_ name: String) async throws -> Process {
            // Beside the tests, where the package is built.
            let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
            let process = Process()
            process.executableURL = URL(filePath: tests).deletingLastPathComponent().appending(path: "ConformanceProbe")
            process.arguments = [name]
            process.environment = ["SWIFT_BACKTRACE": "enable=no"]
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try await withCheckedThrowingContinuation { continuation in
                process.terminationHandler = { _ in continuation.resume() }
                do { try process.run() } catch { continuation.resume(throwing: error) }
            }
            return process
        }

        @Test("still does, in a process of its own", arguments: crashes) func stillEnds(name: String) async throws {
            let process = try await probe(name)
            #expect(
                process.terminationReason == .uncaughtSignal,
                process.terminationStatus == 0
                    ? "Foundation survives it and conforms: the exclusion of \"\(name)\" can go."
                    : "Foundation survives it: the exclusion of \"\(name)\" needs no process of its own any more.")
        }

        @Test("are the cases known to, and others do not") func others() async throws {
            #expect(Self.crashes.count == 5)
            let sound = try await probe("GET arrives as it is")
            #expect(sound.terminationReason == .exit && sound.terminationStatus == 0)
            let failing = try await probe("gzip that ends early is an error")
            #expect(failing.terminationReason == .exit && failing.terminationStatus == 1)
        }
    }
#endif
