// One import for an app that calls an HTTP API: with it come URL, Data, Date and UUID.
@_exported public import Authentication
@_exported public import Connectivity
@_exported public import Foundation
@_exported public import HTTPCaching
@_exported public import HTTPMessages
@_exported public import JSON
@_exported public import Monitoring
@_exported public import PatchbayErrors
@_exported public import Queueing
@_exported public import RequestModel
@_exported public import ResponseDecoding
@_exported public import SignIn
@_exported public import Signing
@_exported public import Transport
