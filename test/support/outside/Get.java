import java.net.HttpURLConnection;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;

/** Calls an address with each of the two clients that come with Java. */
class Get {
    public static void main(String[] args) throws Exception {
        URI address = URI.create(args[0]);
        HttpURLConnection connection = (HttpURLConnection) address.toURL().openConnection();
        String first = new String(connection.getInputStream().readAllBytes());
        String second = HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(address).build(), BodyHandlers.ofString())
                .body();
        System.out.print(first.equals(second) ? first : first + " and " + second);
    }
}
