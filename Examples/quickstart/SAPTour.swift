import Delegation
import Dispatch
import ExampleSupport
import Foundation
import HTTPMessages
import PatchbayTestKit
import ResponseDecoding
import SDMConnectivity
import Synchronization
import VendorServices

/// Shows registration, calls and downloads with the API of SAP's SDMConnectivity.
func sapTour(_ server: LoopbackServer) async throws {
    let transcript = Transcript(server: server)
    let service = "http://127.0.0.1:\(server.port)/FlightProxy"
    try await registerApp(server.port, transcript)
    await readFlights(service, transcript)
    try await changeFlight(service, transcript)
    try await download(service, transcript)
}

/// Registers the app. The server challenges with Digest, and assigns the id that later requests carry.
private func registerApp(_ port: Int, _ transcript: Transcript) async throws {
    transcript.section("Registration with Digest: the server assigns an id")
    // show
    let connection = SMPClientConnection.initializeWithAppID("com.example.flights", domain: nil, secConfiguration: nil)
    connection.setConnectionProfileWithHost("127.0.0.1", port: port)
    try await connection.register(user: "ann", password: "open sesame", properties: ["DeviceType": "iPhone"])
    // end
    transcript.showRequests()
    transcript.showResult("registered \(connection.applicationID)")
}

/// A screen of an old app, with methods that the request calls by their selectors.
private final class FlightScreen: SelectorTarget, Sendable {
    static var selectors: SelectorTable {
        [
            .method("serviceDocFetchComplete:", FlightScreen.serviceDocFetchComplete),
            .method("serviceDocFetchFailed:", FlightScreen.serviceDocFetchFailed),
        ]
    }

    private let done: @Sendable (String) -> Void

    init(done: @escaping @Sendable (String) -> Void) { self.done = done }

    func serviceDocFetchComplete(_ request: SDMHttpRequest) {
        done("status \(request.responseStatusCode), \(request.responseData?.count ?? 0) bytes of Atom")
    }

    func serviceDocFetchFailed(_ request: SDMHttpRequest) { done("failed: \(request.error?.message ?? "")") }
}

/// Reads a collection, as old code does. The nonce of the registration is used again.
private func readFlights(_ service: String, _ transcript: Transcript) async {
    transcript.section("A request with a delegate and selectors")
    let result = Mutex("")
    await withCheckedContinuation { continuation in
        let screen = FlightScreen { text in
            result.withLock { $0 = text }
            continuation.resume()
        }
        // show
        let request = SUPRequest.requestWithURL(URL(string: "\(service)/Flights?$top=2")?.withSAPLanguage("EN"))
        request.setUserName("ann")
        request.setPassword("open sesame")
        request.setClientDelegate(screen)
        request.setDidFinishSelector("serviceDocFetchComplete:")
        request.setDidFailSelector("serviceDocFetchFailed:")
        request.startAsynchronous()
        // end
        request.userInfo = ["screen": screen]  // The request holds its delegate weakly.
    }
    transcript.showRequests()
    transcript.showResult(result.withLock(\.self))
}

private struct Flight: Codable, Sendable {
    var ID: String  // swift-format-ignore: AlwaysUseLowerCamelCase
    var Seats: Int  // swift-format-ignore: AlwaysUseLowerCamelCase
}

/// Reads a flight into a type, and changes it with the token and the ETag that the server demands.
private func changeFlight(_ service: String, _ transcript: Transcript) async throws {
    transcript.section("With async/await, typed; a change with a CSRF token and If-Match")
    // show
    SDMRequestBuilder.enableXCSRF(true)
    let read = SUPRequest(url: URL(string: "\(service)/Flights('LH400')"))
    read.username = "ann"
    read.password = "open sesame"
    let flight = try await read.response().decoded(as: .odataEntry(Flight.self))
    // `If-Match: *` would overwrite what others have changed.
    guard let etag = flight.etag else { throw Unexpected("The server sends no ETag for a flight.") }

    let write = SUPRequest(url: URL(string: "\(service)/Flights('LH400')"))
    write.username = "ann"
    write.password = "open sesame"
    write.requestMethod = "MERGE"
    write.setEtag(etag, with: .ifMatch)
    write.addRequestHeader("Content-Type", value: "application/json")
    write.appendPost(try JSONEncoder().encode(Flight(ID: flight.value.ID, Seats: flight.value.Seats - 1)))
    let written = try await write.response()
    // end
    transcript.showRequests()
    transcript.showResult("\(flight.value.Seats) seats before; the change: status \(written.status.code)")
}

extension ProgressBar: SDMProgressDelegate {}

/// Downloads to a file, with a progress delegate.
private func download(_ service: String, _ transcript: Transcript) async throws {
    transcript.section("A download with progress")
    let file = FileManager.default.temporaryDirectory.appending(path: "quickstart-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: file) }
    // show
    let bar = ProgressBar()
    let request = SUPRequest(url: URL(string: "\(service)/Download/20000000"))
    request.username = "ann"
    request.password = "open sesame"
    request.setDownloadProgressDelegate(bar)
    try await request.download(to: file)
    // end
    // The progress delegate runs on the main queue, and is held weakly.
    await withCheckedContinuation { done in DispatchQueue.main.async { done.resume() } }
    withExtendedLifetime(bar) {}
    transcript.showRequests()
    let size = try FileManager.default.attributesOfItem(atPath: file.path)[.size] ?? 0
    transcript.showResult("\(size) bytes in a file")
}
