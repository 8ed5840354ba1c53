#if os(Linux)
    import Foundation
    import HTTPMessages
    import PatchbayTestKit
    import TestSupport
    import Testing

    @testable import ConformanceProbe

    @Suite(.needsSlot) struct ConformanceProbeTests {
        private static let crashes = ConformanceSubject.urlSessionExclusions.filter { $0.value.effect == .endsProcess }
            .keys.sorted()

        /// The executable, which is beside the tests in the build folder.
        private static var program: URL {
            get throws {
                let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
                return URL(filePath: tests).deletingLastPathComponent().appending(path: "ConformanceProbe")
            }
        }

        /// Runs the probe in a process of its own.
        private func probe(
            _ arguments: String..., environment: [String: String] = [:], output: FileHandle? = nil
        ) async throws -> ChildProcess.Ending {
            // With the address sanitizer, the leaks of Foundation would be an exit with an error.
            let settings = ["SWIFT_BACKTRACE": "enable=no", "ASAN_OPTIONS": "detect_leaks=0"]
            let environment = environment.merging(settings) { $1 }
            return try await ChildProcess.run(Self.program.path, arguments, environment: environment, output: output)
        }

        @Test(arguments: crashes) func `a case still ends its process`(name: String) async throws {
            let ending = try await probe(name)
            var isSignalled = false
            if case .signalled = ending { isSignalled = true }
            #expect(
                isSignalled,
                ending == .exited(0)
                    ? "Foundation conforms; remove the exclusion of \"\(name)\"."
                    : "The process survives; change the exclusion of \"\(name)\" to a failing case.")
        }

        @Test func `the number of crashing cases is known, and other cases exit`() async throws {
            #expect(Self.crashes.count == 6)
            #expect(try await probe("GET arrives unchanged") == .exited(0))
            #expect(try await probe("truncated gzip is an error") == .exited(1))
        }

        @Test func `the lack of descriptors is named`() async throws {
            let command = ["-c", "ulimit -n 100; exec \"$0\" \"$1\"", try Self.program.path]
            let name = ConformanceCase.lackOfDescriptors.name
            #expect(try await ChildProcess.run("/bin/sh", command + [name]) == .exited(0))
        }

        @Test(arguments: ["http_proxy", "all_proxy"])
        func `names the proxy from the environment that refused the connection`(variable: String) async throws {
            let folder = try TemporaryFolder()
            let file = folder.url.appending(path: "output")
            try Data().write(to: file)
            let environment = [variable: "http://user:s3cret@127.0.0.1:1"]
            let output = try FileHandle(forWritingTo: file)
            #expect(try await probe("GET arrives unchanged", environment: environment, output: output) == .exited(1))
            let text = try String(contentsOf: file, encoding: .utf8)
            #expect(text.contains("Connection refused: proxy 127.0.0.1:1 for ") && text.contains("[proxy]"), "\(text)")
            #expect(!text.contains("s3cret"))
        }

        @Test func `only a proxy gets the credentials of a proxy, and only its challenge is one`() async throws {
            let folder = try TemporaryFolder()
            let log = Watched<[RecordedRequest]>([])
            try await LoopbackServer(connections: { connection in
                guard let request = try connection.receiveRequest() else { return }
                log.update { $0.append(request) }
                try connection.send(
                    "HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm=r\r\nContent-Length: 0\r\n\r\n")
            }).stopping { server in
                let address = "http://127.0.0.1:\(server.port)"
                let environment = ["http_proxy": address, "no_proxy": "127.0.0.1"]
                for (url, expected) in [("http://patchbay.test/", "407 true\n"), (address, "407 false\n")] {
                    let file = folder.url.appending(path: "output")
                    try Data().write(to: file)
                    let output = try FileHandle(forWritingTo: file)
                    let ending = try await probe("proxied", url, environment: environment, output: output)
                    #expect(ending == .exited(0))
                    #expect(try String(contentsOf: file, encoding: .utf8) == expected)
                }
                #expect(log.value.map { $0.fields[.proxyAuthorization] } == ["Basic YTpi", nil])
            }
        }
    }
#endif
