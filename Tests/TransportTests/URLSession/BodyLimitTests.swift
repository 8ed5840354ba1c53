import Foundation
import HTTPMessages
import PatchbayTestKit
import SystemLibraries
import TestSupport
import Testing

@testable import Transport

@Suite(.needsSlot) struct BodyLimitTests {
    @Test func `bodies over the limit fail the request, declared, chunked or compressed`() async throws {
        let bomb = try Deflater.deflate(Data(count: 64 << 20))
        let service = ClosureService { request in
            switch request.url.path() {
            case "/declared": request.response(body: Data(count: 2 << 20))
            case "/chunked":
                request.response(fields: try HTTPFields(["Transfer-Encoding": "chunked"]), body: Data(count: 2 << 20))
            case "/bomb": request.response(fields: try HTTPFields(["Content-Encoding": "gzip"]), body: bomb)
            default: request.response(body: Data(count: 1 << 20))
            }
        }
        try await withServer(service: service) { server, transport in
            for path in ["/declared", "/chunked", "/bomb"] {
                let log = EventLog()
                let error = try await transportError {
                    try await transport.send(server.request(.get, path, limit: 1 << 20), observer: log)
                }
                #expect(error.code == .responseTooLarge && error.head?.status == .ok, "\(path)")
                #expect(error.bodyPrefix.count <= 1024)
                for case .receivedBytes(let count, _) in log.events { #expect(count <= 1 << 20) }
            }
            #expect(try await transport.send(server.request(.get, "/fits", limit: 1 << 20)).body.count == 1 << 20)
        }
    }

    #if os(Linux)
        // In a child process, because other tests use memory too.
        @Test(.disabled(if: AddressSanitizer.isOn, "The sanitizer keeps freed memory."))
        func `a compressed body over the limit does not fill memory`() async {
            await #expect(processExitsWith: .success) {
                let bomb = try Deflater.deflate(Data(count: 64 << 20))
                let service = ClosureService {
                    $0.response(fields: try HTTPFields(["Content-Encoding": "gzip"]), body: bomb)
                }
                try await withServer(service: service) { server, transport in
                    let before = try ProcessState.current().residentMegabytes
                    for _ in 0..<8 {
                        let error = try await transportError {
                            try await transport.send(server.request(limit: 1 << 20))
                        }
                        #expect(error.code == .responseTooLarge)
                    }
                    // Eight bombs are 512 MB.
                    let growth = try ProcessState.current().residentMegabytes - before
                    #expect(growth < 250)
                }
            }
        }
    #endif
}
