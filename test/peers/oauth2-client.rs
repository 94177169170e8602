// The device grant of the crate oauth2, unchanged, over a plain socket: a code, polls until somebody has allowed, a refresh
// where there is a refresh token. Arguments: the addresses for codes and for tokens, the client, its scopes.

use oauth2::basic::BasicClient;
use oauth2::devicecode::StandardDeviceAuthorizationResponse;
use oauth2::http::{header::CONTENT_TYPE, HeaderMap, StatusCode};
use oauth2::{AuthUrl, ClientId, DeviceAuthorizationUrl, HttpRequest, HttpResponse, Scope, TokenResponse, TokenUrl};
use std::error::Error;
use std::io::{Read, Write};
use std::net::TcpStream;

fn send(request: HttpRequest) -> Result<HttpResponse, std::io::Error> {
    let HttpRequest { url, method, headers, body } = request;
    let host = format!("{}:{}", url.host_str().unwrap(), url.port().unwrap());
    let mut socket = TcpStream::connect(&host)?;
    write!(socket, "{} {} HTTP/1.0\r\nHost: {}\r\n", method, url.path(), host)?;
    for (name, value) in &headers {
        write!(socket, "{}: {}\r\n", name, value.to_str().unwrap())?;
    }
    write!(socket, "Content-Length: {}\r\n\r\n", body.len())?;
    socket.write_all(&body)?;
    let mut answer = String::new();
    socket.read_to_string(&mut answer)?;
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    let mut lines = head.lines();
    let status = lines.next().unwrap().split(' ').nth(1).unwrap();
    let mut headers = HeaderMap::new();
    for (name, value) in lines.filter_map(|line| line.split_once(": ")) {
        if name.eq_ignore_ascii_case("content-type") {
            headers.insert(CONTENT_TYPE, value.parse().unwrap());
        }
    }
    let status_code = StatusCode::from_bytes(status.as_bytes()).unwrap();
    Ok(HttpResponse { status_code, headers, body: body.into() })
}

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [codes, tokens, client, scopes] = <[String; 4]>::try_from(words).unwrap();
    // The grant has no use for the third address, but the crate wants one.
    let page = AuthUrl::new(tokens.clone())?;
    let client = BasicClient::new(ClientId::new(client), None, page, Some(TokenUrl::new(tokens)?))
        .set_device_authorization_url(DeviceAuthorizationUrl::new(codes)?);
    let details: StandardDeviceAuthorizationResponse = client
        .exchange_device_code()?
        .add_scope(Scope::new(scopes))
        .request(send)?;
    let tokens = client.exchange_device_access_token(&details).request(send, std::thread::sleep, None)?;
    if let Some(token) = tokens.refresh_token() {
        client.exchange_refresh_token(token).request(send)?;
    }
    Ok(())
}
