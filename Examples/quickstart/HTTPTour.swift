import Patchbay
import PatchbayTestKit

struct Order: Codable, Sendable { var id: Int, item: String }

/// Shows the client of an HTTP API.
func httpTour() async throws {
    let folder = try FileManager.default.url(
        for: .itemReplacementDirectory, in: .userDomainMask, appropriateFor: FileManager.default.temporaryDirectory,
        create: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let service = ShopService()
    let server = try LoopbackServer { request in service.script(for: request) }
    print("\nAn HTTP API runs at \(server.url), in this process.")
    try await server.stopping { server in
        let (url, transcript) = (server.url.absoluteString, Transcript(server: server))
        transcript.section("A client: its URL, the layers of its calls, and the fields of all requests")
        // show
        let tokens = BearerAuthorizer { try await service.signIn() }
        let shop = try APIClient(url, over: .standard.authorizing(with: tokens, at: .baseURL)) {
            $0.fields[.userAgent] = "Tour/1"
        }
        // end
        transcript.showResult(shop)
        try await json(shop, transcript)
        try await retries(shop, transcript)
        try await errors(shop, transcript)
        try await pages(shop, transcript)
        try await upload(shop, transcript)
        try await download(shop, to: folder, transcript)
        try await events(shop, transcript)
    }
}

/// Sends and receives JSON.
private func json(_ shop: APIClient, _ transcript: Transcript) async throws {
    transcript.section("JSON in and out; the token is obtained first, and a value in a path stays one segment")
    // show
    let name = "tea/green"
    let order: Order = try await shop.post("orders/\(name)", json: Order(id: 7, item: "tea"))
    // end
    transcript.showRequests()
    transcript.showResult("order \(order.id), \(order.item)")
}

/// Gets through a failure and an expired token.
private func retries(_ shop: APIClient, _ transcript: Transcript) async throws {
    transcript.section("A token that has expired is replaced, and a server that was busy is asked again")
    // show
    let response: Response<[Order]> = try await shop.get("orders/open")
    // end
    transcript.showRequests()
    transcript.showResult("\(response.value.count) open orders, after \(response.attempts.count) failed attempt")
}

/// Shows the error of a failed status.
private func errors(_ shop: APIClient, _ transcript: Transcript) async throws {
    transcript.section("A failed status is an error, with what the server says")
    // show
    do {
        try await shop.delete("orders/8")
    } catch let error as ServerError<JSONValue> where error.status == .conflict {
        transcript.showResult(error.body?["reason"] ?? "no reason")
        transcript.showResult(error)
    }
    // end
    transcript.showRequests()
}

/// Reads a list in pages.
private func pages(_ shop: APIClient, _ transcript: Transcript) async throws {
    transcript.section("A list in pages, each loaded when it is read")
    // show
    for try await order in shop.items("orders", of: Order.self, next: .offset(limit: 2)) {
        if order.id == 4 { break }
    }
    // end
    transcript.showRequests()
    transcript.showResult("4 orders read, and the third page not requested")
}

/// Uploads a form with progress.
private func upload(_ shop: APIClient, _ transcript: Transcript) async throws {
    transcript.section("Upload a form with a file, with progress")
    let (bar, photo) = (ProgressBar(), Data(count: 3 << 20))
    // show
    let received: String = try await shop.post(
        "photos", body: .multipart(.text("title", "Tea"), .bytes("file", photo, fileName: "tea.jpg")),
        progress: { if $0.direction == .upload { bar.setProgress(Float($0.fraction ?? 0)) } })
    // end
    transcript.showRequests()
    transcript.showResult(received)
}

/// Downloads a file over connections that break.
private func download(_ shop: APIClient, to folder: URL, _ transcript: Transcript) async throws {
    transcript.section("Download a file; each connection breaks after 400 kB, and the download goes on")
    let bar = ProgressBar()
    // show
    let file = try await shop.download("catalog", to: folder.appending(path: "catalog")) { progress in
        bar.setProgress(Float(progress.fraction ?? 0))
    }
    // end
    transcript.showRequests()
    transcript.showResult("\(file.byteCount) bytes of the catalog")
}

/// Receives server-sent events.
private func events(_ shop: APIClient, _ transcript: Transcript) async throws {
    transcript.section("Events, as the server sends them")
    // show
    for try await event in try shop.events("feed") {
        transcript.showResult("\(event.type): \(event.data)")
        if event.data == "sold out" { break }
    }
    // end
}
