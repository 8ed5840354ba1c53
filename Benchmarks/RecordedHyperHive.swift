import Foundation
import HTTPMessages
import PatchbayTestKit
import Synchronization
import VendorServices

/// A HyperHive server that produces each table response once and then sends it from memory.
///
/// So the client is measured, not the generator of rows. Right after the first full response of a resource, 1 % of its
/// rows change; recorded responses go to every client, with any token.
final class RecordedHyperHive: HTTPService {
    /// Columns of all resources.
    static let columns: [HyperHiveService.Column] = [
        .init("id", .bigint), .init("station", .bigint), .init("gain", .double), .init("level", .double),
        .init("label"), .init("place"), .init("stock", .bigint), .init("note"),
    ]
    /// Share of the rows that a delta touches.
    static let changedShare = 0.01

    /// Name of the resource with a number of rows: 50,000 or 500,000.
    static func resource(_ rows: Int) -> String { "ROWS_\(rows)" }

    private let service: HyperHiveService
    private let recorded = Mutex<[String: HTTPResponse]>([:])

    init() {
        var configuration = HyperHiveService.Configuration()
        // Rows are computed when they are sent, so a resource without requests costs nothing.
        configuration.resources = [50_000, 500_000].map {
            .init(Self.resource($0), tables: [.init("measurement", Self.columns, generated: $0)])
        }
        service = HyperHiveService(configuration)
    }

    func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        guard let delta = request.fields["X-Delta"] else { return try await service.respond(to: request) }
        let key = "\(delta) \(request.url.path)"
        if let response = recorded.withLock({ $0[key] }) { return response }
        let response = try await service.respond(to: request)
        guard response.status == .ok else { return response }
        if delta == "v0-last" {
            try service.changeGenerated(request.url.lastPathComponent, updated: Self.changedShare)
        }
        recorded.withLock { $0[key] = response }
        return response
    }
}
