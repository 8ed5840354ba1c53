import Foundation

/// The service document of an OData service, from the URL of one of its resources.
enum ODataServiceRoot {
    /// Returns the URL of the service document: the start of the resource's path that names the service.
    ///
    /// - `/any/path/Name.svc/`, if a segment ends with `.svc`;
    /// - `/sap/opu/odata/{namespace}/{service}/` on an SAP Gateway;
    /// - else `/{proxy}/`, which may follow `/public/`, or the path of a relay server with its farm.
    static func url(of resource: URL) -> URL {
        guard var parts = URLComponents(url: resource, resolvingAgainstBaseURL: true) else { return resource }
        let segments = parts.percentEncodedPath.split(separator: "/")
        parts.percentEncodedPath = "/" + segments.prefix(length(of: segments)).map { $0 + "/" }.joined()
        parts.query = nil
        parts.fragment = nil
        return parts.url ?? resource
    }

    /// The number of segments of the service document's path.
    private static func length(of segments: [Substring]) -> Int {
        let lower = segments.map { $0.lowercased() }
        if let service = lower.firstIndex(where: { $0.hasSuffix(".svc") }) { return service + 1 }
        if lower.starts(with: ["sap", "opu", "odata"]) { return min(segments.count, 5) }
        var count = 0
        // IIS: ias_relay_server/client/rs_client.dll/{farm}; Apache: cli/iasrelayserver/{farm}
        if lower.starts(with: ["ias_relay_server", "client", "rs_client.dll"]) { count = 4 }
        if lower.starts(with: ["cli", "iasrelayserver"]) { count = 3 }
        if lower.dropFirst(count).first == "public" { count += 1 }
        return min(segments.count, count + 1)
    }
}
