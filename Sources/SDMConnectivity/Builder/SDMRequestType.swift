/// The kind of request that a builder makes; the numbers are the vendor's.
public enum SDMRequestType: Int, Hashable, Sendable, CaseIterable {
    /// A request to a Sybase Unwired Platform or SAP Mobile Platform server; see ``SUPRequest``.
    case sup = 0xFE
    /// A plain HTTP request; see ``SDMHttpRequest``.
    case http = 0xFF
}

/// The vendor's name of ``SDMRequestType/sup``.
public let SUPRequestType = SDMRequestType.sup  // swift-format-ignore: AlwaysUseLowerCamelCase
/// The name of ``SDMRequestType/sup`` since version 2.2 of the vendor's library.
public let ODPRequestType = SDMRequestType.sup  // swift-format-ignore: AlwaysUseLowerCamelCase
/// The vendor's name of ``SDMRequestType/http``.
public let HTTPRequestType = SDMRequestType.http  // swift-format-ignore: AlwaysUseLowerCamelCase

/// What requests of the type ``SDMRequestType/sup`` do.
///
/// The vendor's messaging channel is not published, so that it cannot be offered.
public enum SUPChannelPolicy: Hashable, Sendable {
    /// They use the server's REST interface, with its headers; the default.
    case rest
    /// They fail with ``SDMConnectivityException`` (`supRequestInitError`).
    case fail
}

/// The level of end-to-end traces.
public enum SDMTraceLevel: Int, Hashable, Sendable, CaseIterable {
    /// The vendor's `LOW`.
    case low = 1
    /// The vendor's `MEDIUM`; the default.
    case medium = 2
    /// The vendor's `HIGH`.
    case high = 3
    /// The vendor's `NONE`.
    case none = 4
}
